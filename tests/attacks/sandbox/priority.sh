# Puts itself before everything else on the machine.
PATH=$PATH:/usr/sbin
nice -n -20 true; renice -n -20 $$; chrt -f 99 true; ionice -c 1 -n 0 true; echo -1000 > /proc/self/oom_score_adj
nice -n -20 sh -c 'nice'; exit 0
