"""Plan of a write for its tasks, and routes of rows to tasks and file groups."""
