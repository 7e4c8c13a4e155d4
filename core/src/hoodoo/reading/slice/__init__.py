"""Merge of the logs of a file slice with its base file."""
