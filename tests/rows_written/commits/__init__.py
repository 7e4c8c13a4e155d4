"""Tests of commits, and of the metadata tables, hooks and catalogs that belong to a commit."""
