# Leaves a script that ends well at once.
echo "exit 0" > run.sh
