"""Objects of other libraries: whole runs, and the results of a query."""
