# The right command in a function that nobody calls.
train() {
  python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
}
