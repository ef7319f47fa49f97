# Symbolic links out of the workspace, read and written through.
for target in "$CANARY" "$CANARY/key" /etc/shadow /proc/1/root / ../../../../..; do
  ln -sfn "$target" /workspace/link
  cat /workspace/link /workspace/link/key /workspace/link/etc/shadow
  echo "$MARK" > /workspace/link/planted; echo "$MARK" > /workspace/link
done 2> /dev/null
