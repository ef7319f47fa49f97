"""What came out: runs read from logs, figures over them, the table and the report."""
