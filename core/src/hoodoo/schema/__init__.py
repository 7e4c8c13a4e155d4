"""Arrow schemas: columns by path, Hudi's Avro schema, and how one schema fits another."""
