# Mounts and unmounts: over the system, over the settings, from the host.
PATH=$PATH:/usr/sbin:/sbin
for deed in "mount -t tmpfs x /usr" "mount --bind /tmp /etc" "mount -o remount,rw /usr" "mount -o remount,rw /" "mount -t proc proc /tmp" "mount -t sysfs x /tmp" \
  "mount -t cgroup2 x /tmp" "mount -t overlay x -o lowerdir=/,upperdir=/tmp,workdir=/home/user /workspace" "umount -l /proc" "umount -l /workspace" "umount /tmp" "pivot_root /tmp /tmp" "swapon /tmp/x" "losetup -f /tmp/x"; do
  $deed && echo "REACHED $deed"
done 2> /dev/null
exit 0
