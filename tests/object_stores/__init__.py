"""Tables and locks in object stores and in HDFS."""
