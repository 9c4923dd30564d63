"""What a sweep costs those who read meanwhile."""
