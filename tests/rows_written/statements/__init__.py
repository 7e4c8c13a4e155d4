"""Tests of MERGE, UPDATE and DELETE."""
