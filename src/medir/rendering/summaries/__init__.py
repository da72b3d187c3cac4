"""Comparisons for pipelines: Markdown for people, JUnit and JSON for programs."""
