"""Docker: whether there is an engine, the images, and what a killed run has left in it."""
