"""The validation of MED by Tan and Clarke, on any collection."""
