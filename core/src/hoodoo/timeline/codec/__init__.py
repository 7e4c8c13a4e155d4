"""Formats of the files on a timeline: JSON and Avro documents, with the schemas of Hudi."""
