"""Comparison of hoodoo with Apache Hudi and with the crate hudi-core."""
