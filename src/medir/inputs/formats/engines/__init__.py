"""Responses of search engines: one module per engine."""
