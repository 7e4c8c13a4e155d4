"""Checks of the imports of the core, and the picture of its packages."""
