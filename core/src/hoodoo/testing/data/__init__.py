"""Test data of the suites, and its conversion from and to the notation of merge vectors."""
