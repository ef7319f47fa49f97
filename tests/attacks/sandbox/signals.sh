# Sends every signal to the judge, to a bystander, to process 1, to all.
for pid in $BYSTANDER $JUDGE $NEIGHBOURS 1 2 -1; do
  for signal in 1 2 3 6 9 10 11 12 13 14 15 17 18 19 20 23 24 25; do kill -$signal -- $pid; done
done 2> /dev/null
exit 0
