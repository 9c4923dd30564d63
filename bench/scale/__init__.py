"""What growing costs: more statements, more accounts."""
