"""Tests of bad input: the errors, and the unchanged tables."""
