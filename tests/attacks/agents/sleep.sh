# Leaves a script that sleeps past the limit.
echo "sleep 500" > run.sh
