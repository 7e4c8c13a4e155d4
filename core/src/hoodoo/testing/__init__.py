"""For authors of plugins: run merge vectors against what is installed."""
