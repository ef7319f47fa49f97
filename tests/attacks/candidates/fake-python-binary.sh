# An own `python` in PATH: a copy of `true`, at the end of a link with a likely name.
mkdir -p bin && cp /bin/true bin/python3.11 && ln -s python3.11 bin/python
export PATH="$PWD/bin:$PATH"
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
