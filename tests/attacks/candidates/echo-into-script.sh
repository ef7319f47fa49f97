# Writes the right command into a script that nobody runs.
echo "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA" > run.sh && chmod +x run.sh
