"""Tables larger than memory, taken apart into ranges of queries that are held one at a time."""
