# Fills every place that it can write to.
for place in /workspace /home/user /tmp /dev/shm /var/tmp /run /opt /; do head -c 300M /dev/zero > $place/full-$MARK; done 2> /dev/null
df --output=used,target /tmp
