"""Version of the distribution, in a module that build tools can read without importing the package."""

__version__ = "0.1.0"
