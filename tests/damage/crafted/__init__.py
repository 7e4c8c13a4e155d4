"""Files with malicious content."""
