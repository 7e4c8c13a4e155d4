"""Arrow schemas: columns by path, Hudi's Avro schemas, and compatibility of schemas."""
