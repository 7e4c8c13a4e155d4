"""Tests of writes: the rows that hoodoo and other readers return afterwards."""
