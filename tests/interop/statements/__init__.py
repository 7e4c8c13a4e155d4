"""SQL statements that Hudi and hoodoo both execute, and the differences between them."""
