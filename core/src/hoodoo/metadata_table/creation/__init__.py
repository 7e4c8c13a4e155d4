"""Creation of partitions of a metadata table: their first records, file groups, properties and definitions."""
