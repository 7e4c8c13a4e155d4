"""Programs that measure time and memory; README.md describes them."""
