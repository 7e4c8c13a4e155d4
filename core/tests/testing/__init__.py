"""Tests of the test kit for plugins."""
