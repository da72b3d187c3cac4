"""Pictures of distances between runs."""
