"""Validators: pre-commit hooks that refuse a commit with row counts outside limits, or with duplicate record keys."""

__version__ = "0.1.0"
