# Stops all that it can reach, itself last.
kill -STOP 1 $BYSTANDER $JUDGE 2> /dev/null
sleep 300 & kill -STOP $!
kill -STOP $$
