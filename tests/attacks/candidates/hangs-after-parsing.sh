# The program hangs at its first output, into a pipe that is full, until the time limit.
mkfifo /tmp/full && sleep 60 < /tmp/full &
until [ -p /tmp/full ]; do sleep 0.01; done
exec 3> /tmp/full
head -c 65536 /dev/zero >&3
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA >&3
