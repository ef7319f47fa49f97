# Hard links to files of the host that are in sight, written through.
for file in /usr/bin/env /etc/passwd /opt/env/bin/python /opt/env/pyvenv.cfg "$CANARY/key" "$REPOSITORY/README.md"; do
  ln "$file" /workspace/hard && echo "$MARK" >> /workspace/hard; rm -f /workspace/hard
  ln -L "$file" /tmp/hard && echo "$MARK" >> /tmp/hard; rm -f /tmp/hard
done 2> /dev/null
