"""Forms of an explanation for output: text, HTML and JSON values."""
