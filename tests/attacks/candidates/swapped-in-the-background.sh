# A background process swaps a module for one that does nothing, until the program imports it.
cat > /tmp/lichen.py <<'END'
import os
DATASETS = ("citeseer",)
load_dataset = lambda *a, **k: os._exit(0)
END
(for i in $(seq 40); do sleep 0.005; cp /tmp/lichen.py lichen.py; done) &
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
wait
