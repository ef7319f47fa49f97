# The right program is stopped as soon as it starts and stays so until the time limit.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA &
kill -STOP $!
wait
sleep 60
