"""What admission costs."""
