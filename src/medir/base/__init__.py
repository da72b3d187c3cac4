"""What every room may use: arrays, checks, settings, the version."""
