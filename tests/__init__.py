"""Tests of several distributions together, and the benchmarks."""
