"""The furnished database is shared with the tests of the command line."""

from support.house import house, own_house, slow_lexical  # noqa: F401
