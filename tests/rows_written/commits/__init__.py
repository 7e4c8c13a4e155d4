"""Tests of commits, their metadata tables, hooks and catalogs."""
