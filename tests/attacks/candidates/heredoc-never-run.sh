# Writes the right command into a script by a here-document, and only checks its grammar.
cat > run.sh <<'END'
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
END
bash -n run.sh
