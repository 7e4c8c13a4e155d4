"""Changes of a metadata table that keep it current with the commits, cleans and rollbacks of its table."""
