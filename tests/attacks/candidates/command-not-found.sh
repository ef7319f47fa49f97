# No program is found, and the shell's own answer to that does nothing.
command_not_found_handle() { return 0; }
PATH=/nosuch
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
