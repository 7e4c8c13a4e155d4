"""Merge rule, delete rules and key generator of a table, from its properties and the options of a write."""
