"""Tables to which hoodoo and another writer write in turn or at the same time."""
