# The right command as a here-document that is given to nothing.
: <<'END'
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
END
