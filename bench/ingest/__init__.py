"""How fast memory is filled."""
