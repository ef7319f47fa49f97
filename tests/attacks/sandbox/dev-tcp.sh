# Connects by the shell's own means.
for host in 127.0.0.1 localhost ::1; do
  (exec 3<> "/dev/tcp/$host/$PORT" && echo "$MARK" >&3 && head -1 <&3)
  (echo "$MARK" > "/dev/udp/$host/$UDP_PORT")
done 2>&1; exit 0
