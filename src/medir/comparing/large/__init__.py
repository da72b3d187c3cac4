"""Two runs that do not fit into memory, compared by ranges of queries."""
