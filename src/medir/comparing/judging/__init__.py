"""What judgments tell of runs, and which judgments would tell more."""
