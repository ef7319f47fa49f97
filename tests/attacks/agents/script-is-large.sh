# The script has two hundred megabytes.
yes 'echo busy' | head -c 200000000 > run.sh
