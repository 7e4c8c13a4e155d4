"""Avro encoding of the records in log blocks: schemas, decoders, and conversion from and to Arrow."""
