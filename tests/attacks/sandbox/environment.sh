# Reads the variables of every process in sight, for keys.
env; cat /proc/[0-9]*/environ 2> /dev/null | tr '\0' '\n'; cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\0' ' '
