"""Stories of the tables that Hudi makes, by theme."""
