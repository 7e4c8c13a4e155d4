"""Table, batches, floor and processor time that the benchmarks share."""
