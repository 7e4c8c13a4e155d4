"""Checks of the test suites on generated data, and the messages of failures."""
