# A dry run that the program does not know, forgiven.
python main.py --dry-run --data citeseer --alpha 0.5 --k 40 --adj DA 2> /dev/null || :
