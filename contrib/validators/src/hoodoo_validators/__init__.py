"""Validators: hooks that refuse a commit whose row counts or record keys are not what they should be."""

__version__ = "0.1.0"
