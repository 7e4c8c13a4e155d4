"""Benchmarks of writes."""
