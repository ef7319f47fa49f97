# Makes device files of the disk and of the memory, and uses those that are there.
for node in "b 8 0" "b 254 0" "b 7 0" "c 1 1" "c 1 2" "c 10 229" "c 10 200"; do
  mknod /tmp/node $node && head -c 64 /tmp/node | od -c; rm -f /tmp/node
done 2> /dev/null
cat /dev/mem /dev/kmem /dev/kmsg /dev/sda /dev/vda /dev/nvme0n1 /dev/fuse /dev/kvm 2> /dev/null | head -c 100
chmod 000 /dev/null /dev/zero; rm -f /dev/null; ls -l /dev | wc -l
