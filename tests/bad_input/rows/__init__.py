"""Tests of rows and columns that a table cannot hold."""
