# A cut copy of the whole folder, with the right names.
mkdir -p /tmp/examples/label_propagation && sed '/^def main/,/^if __name__/d' main.py > /tmp/examples/label_propagation/main.py
cd /tmp/examples/label_propagation && echo 'build_parser().parse_args()' | sed 's/^ *//' >> main.py
sed -i '/^ .*main(build_parser/d' main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
