# Writes into the interpreter and the packages that every candidate uses.
site=$(echo /opt/env/lib/python3*/site-packages)
echo "import os" > "$site/planted-$MARK.pth"; echo "$MARK" >> "$site/numpy/__init__.py"
chmod -R u+w /opt/env; mv /opt/env/bin/python /opt/env/bin/python.orig; rm -rf /opt/env/lib 2> /dev/null
touch "/usr/lib/planted-$MARK" "/usr/local/bin/planted-$MARK"; exit 0
