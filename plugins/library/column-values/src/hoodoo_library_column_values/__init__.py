"""Computations on the values of a column that aggregate functions share: arithmetic, order, the items of lists."""

__version__ = "0.1.0"
