"""What the tests of the lifecycle share."""

from support.hand import curator, hand, sqlstate  # noqa: F401
from support.house import house, own_house  # noqa: F401
