"""Found by Spark by its name; filled in by hoodoo.spark."""
