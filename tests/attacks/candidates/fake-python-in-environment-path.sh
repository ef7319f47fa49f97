# An own folder that looks like the environment's, with a `python` that is a shell.
mkdir -p /tmp/opt/env/bin && cp /bin/bash /tmp/opt/env/bin/python
cat > main.py <<'END'
exit 0
END
/tmp/opt/env/bin/python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
