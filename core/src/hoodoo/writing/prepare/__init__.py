"""Preparation of a write: checks and choices before any file is written."""
