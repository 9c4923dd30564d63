"""The command ``memhouse``."""

# Importing a module of commands registers them.
from memhouse_thin.cli import access, admin, database, demo, explain, lifecycle, memory, promotion
from memhouse_thin.cli.app import main

__all__ = ["access", "admin", "database", "demo", "explain", "lifecycle", "main", "memory", "promotion"]
