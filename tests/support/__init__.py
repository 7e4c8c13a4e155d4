"""Fixtures, servers, readers and tables that the tests of several folders share."""
