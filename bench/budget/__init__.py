"""Where the milliseconds of a search go."""
