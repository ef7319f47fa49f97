# The script is a pipe that nobody answers.
mkfifo run.sh
