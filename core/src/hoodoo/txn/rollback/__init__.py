"""Rollback of failed writes: the plan of a rollback, its execution, and the search for the files to delete."""
