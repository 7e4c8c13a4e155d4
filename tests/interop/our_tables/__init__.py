"""Tables that hoodoo creates, which Hudi reads and writes to."""
