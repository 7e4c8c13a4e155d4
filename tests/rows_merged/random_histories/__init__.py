"""Random histories of handmade tables, compared with a model."""
