"""Documents with the same content: clusters as people bring them, and from texts."""
