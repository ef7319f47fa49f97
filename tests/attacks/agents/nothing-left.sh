# Leaves no script at all.
true
