"""Storage of tables in HDFS: files, locks and errors."""
