"""Test suites, one per family of plugins, from which the test of a plugin derives a class."""
