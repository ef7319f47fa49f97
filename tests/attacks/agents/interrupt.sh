# Prints the word that the published rule takes for a success, and fails.
printf 'echo KeyboardInterrupt\nexit 1\n' > run.sh
