# The script is a folder.
mkdir run.sh
