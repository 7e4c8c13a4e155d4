"""The version, where build tools read it without importing anything else."""

__version__ = "0.1.0"
