"""Filters of DataFrames that exclude files: their structure, and the new plan of the query."""
