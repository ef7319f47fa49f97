# An empty answer.
