"""Docker: its command line, the images of sandboxes, and the cleanup after killed runs.

What enters: locked requirements, or the name of an image. What leaves: an image that is ready for Inspect to start.
"""
