# Makes namespaces of its own, and enters those of others.
PATH=$PATH:/usr/sbin:/sbin
for deed in "unshare -U true" "unshare -Urm mount -t tmpfs x /usr" "unshare -Urn ip link" "unshare -i true" "unshare -p -f true" "nsenter -t 1 -a true" "nsenter -t $JUDGE -m true" "chroot /tmp /bin/true"; do
  $deed && echo "REACHED $deed"
done 2> /dev/null
exit 0
