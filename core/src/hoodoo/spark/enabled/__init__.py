"""Readers and writers of a session for which `hoodoo.enable` was called."""
