"""Adapters of payloads and of rules in row form to mergers, and of the rows of a read to whole rows."""
