"""The demo: the memory of a small freight company, and the same questions asked by different readers."""

from memhouse_thin.demo.company import Demo, run
from memhouse_thin.demo.page import page

__all__ = ["Demo", "page", "run"]
