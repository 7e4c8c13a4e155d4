"""Filters of DataFrames that leave out files: their structure, and the new plan of the query."""
