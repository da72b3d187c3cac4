"""Runs as files, in every format that medir reads them from."""
