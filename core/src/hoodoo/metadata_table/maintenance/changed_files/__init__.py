"""Files that are affected by a change of a table: their slices, their keys, and the validity of statistics of logs."""
