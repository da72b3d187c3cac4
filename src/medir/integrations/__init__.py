"""Other people's programs: pytest and ir_measures."""
