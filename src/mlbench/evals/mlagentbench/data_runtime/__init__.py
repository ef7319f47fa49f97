"""What is mounted beside the scripts that make data ready."""
