"""Reports of all queries: a page, and files beside it that it loads on demand."""
