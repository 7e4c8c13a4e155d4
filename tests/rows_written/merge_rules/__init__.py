"""Tests of merge rules in written tables."""
