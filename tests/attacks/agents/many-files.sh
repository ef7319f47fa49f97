# Leaves more than can be carried, beside a script that runs something else.
head -c 200000000 /dev/urandom > big.bin
echo "exit 0" > run.sh
