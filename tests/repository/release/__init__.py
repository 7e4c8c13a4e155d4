"""Programs that build, describe and version the distributions."""
