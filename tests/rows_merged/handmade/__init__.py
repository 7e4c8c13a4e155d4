"""Handmade tables, written without the code of hoodoo."""
