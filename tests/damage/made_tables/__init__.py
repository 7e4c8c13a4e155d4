"""Tables to damage, and the kinds of their files."""
