from __future__ import annotations

# Its own tests run in the fresh environment in which it is installed.
collect_ignore_glob = ["hoodoo-merger-acme-max/*"]
