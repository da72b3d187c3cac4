"""How relevance makes up a score: one module per shape."""
