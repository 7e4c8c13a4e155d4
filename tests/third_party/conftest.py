from __future__ import annotations

# Its own tests need it installed; they run in the fresh environment where it is.
collect_ignore_glob = ["hoodoo-merger-acme-max/*"]
