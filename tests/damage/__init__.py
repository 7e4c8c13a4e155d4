"""Reads and writes of tables with damaged or malicious files."""
