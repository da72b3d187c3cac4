"""The page of a matrix: many runs as a heat map, a map and tables."""
