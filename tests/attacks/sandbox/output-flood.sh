# Prints without end.
timeout 2 yes "$MARK $MARK $MARK"
