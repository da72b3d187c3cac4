"""Where inputs come from: one module per source."""
