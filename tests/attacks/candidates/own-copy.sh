# A copy of the program, cut after its parser.
sed '/^def main/,$d' main.py > mine.py
echo 'build_parser().parse_args()' >> mine.py
python mine.py --data citeseer --alpha 0.5 --k 40 --adj DA
