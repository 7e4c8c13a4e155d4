"""Installed plugins: their metadata, import, validation, and specification for executors."""
