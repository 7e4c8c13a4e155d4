"""Metadata table in transactions: its delta commits, rollbacks, compactions, and its removal."""
