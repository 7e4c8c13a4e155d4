from __future__ import annotations

# Their own tests need them installed; they run in the fresh environment.
collect_ignore_glob = ["hoodoo-merger-acme-max/*", "hoodoo-acme-orders/*"]
