"""Contents of the partitions of a metadata table that are indexes: statistics, record keys, secondary keys."""
