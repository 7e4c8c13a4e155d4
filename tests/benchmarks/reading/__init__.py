"""Benchmarks of reads."""
