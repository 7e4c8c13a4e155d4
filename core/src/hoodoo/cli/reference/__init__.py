"""Generators of the reference pages of the documentation."""
