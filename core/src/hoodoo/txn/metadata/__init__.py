"""Metadata table in transactions: its creation, delta commits, rollbacks, compactions and removal."""
