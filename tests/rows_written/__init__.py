"""Tests of writes: the rows after them, as hoodoo and other readers return them."""
