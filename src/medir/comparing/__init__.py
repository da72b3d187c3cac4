"""Two runs, query by query; many runs, pair by pair."""
