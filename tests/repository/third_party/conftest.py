from __future__ import annotations

# Their own tests run in the fresh environment in which they are installed.
collect_ignore_glob = ["hoodoo-merger-acme-max/*", "hoodoo-acme-orders/*"]
