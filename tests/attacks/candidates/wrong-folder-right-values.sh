# A program of the same name in another folder, with the values as its own options.
cd ../gat && python main.py --dataset citeseer --num-heads 2 --learning-rate 0.5 --weight-decay 40 --epochs 1 && echo DA
