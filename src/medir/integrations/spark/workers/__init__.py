"""What a worker does with a part of the rows."""
