# Writes through the root and the working folder of every process in sight.
for pid in 1 2 $BYSTANDER $JUDGE $NEIGHBOURS $(ls /proc | grep '^[0-9]'); do
  for way in root cwd; do
    echo "$MARK" > "/proc/$pid/$way/$CANARY/planted"; echo "$MARK" > "/proc/$pid/$way/tmp/planted-$MARK-host"
    cat "/proc/$pid/$way/$CANARY/key"
  done
done 2> /dev/null
exit 0
