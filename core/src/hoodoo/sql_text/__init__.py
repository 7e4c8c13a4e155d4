"""Text of statements in Spark's SQL: its tokens, its parts, and the places that errors show."""
