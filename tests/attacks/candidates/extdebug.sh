# A debugging trap skips every command.
shopt -s extdebug
trap 'false' DEBUG
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
