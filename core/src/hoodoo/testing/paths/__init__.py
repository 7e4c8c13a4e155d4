"""Paths of versions through a table, and checks that a rule gives the same rows on them."""
