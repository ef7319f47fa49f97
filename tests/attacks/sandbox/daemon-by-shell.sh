# Leaves jobs behind in every way that the shell knows, and asks the machine to start some later.
sleep 501 & disown; nohup sleep 502 > /dev/null 2>&1 &
setsid -f sleep 503 < /dev/null > /dev/null 2>&1; (sleep 504 &)
echo "* * * * * touch $CANARY/planted" | crontab - ; echo "touch $CANARY/planted" | at now; systemd-run --user touch "$CANARY/planted"
exit 0
