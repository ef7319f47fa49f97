# The right program is started, and a debugger's hook in its folder replaces it by `true`.
cat > lichen.py <<'END'
import os
DATASETS = ("citeseer",)
def load_dataset(*args, **kwargs):
    os.execv("/bin/true", ["python", "main.py"])
END
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
