"""Stages of a write by index and operation: routing, look-up of keys, and merge."""
