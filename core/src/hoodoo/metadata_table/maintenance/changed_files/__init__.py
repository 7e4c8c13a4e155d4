"""Files that a change of a table concerns: their slices and keys, and what the statistics of logs mean."""
