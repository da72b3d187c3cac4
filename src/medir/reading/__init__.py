"""Where runs and judgments come from: one module a source."""
