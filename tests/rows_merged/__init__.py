"""Tests of reads: merged versions, file slices, visible commits and evolved schemas."""
