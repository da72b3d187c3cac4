"""Results that are passages: compared, explained, all pairs."""
