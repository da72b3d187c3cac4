"""From queries to a decision: what many values say together, in numbers and in words."""
