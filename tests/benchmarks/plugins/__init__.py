"""Benchmarks of merge rules and of installed plugins."""
