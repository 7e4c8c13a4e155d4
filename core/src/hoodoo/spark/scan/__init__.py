"""Tables as DataFrames: plans, and scans of base files by Spark's Parquet reader."""
