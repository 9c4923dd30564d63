"""What a read may see of the tree of scopes, against the rule written out in Python."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from support.memory import Memory


@pytest.mark.parametrize("seed", range(4))
def test_a_read_for_a_scope_has_what_is_granted_on_its_path_and_no_more(
    memory: Memory, fails: Callable, seed: int
) -> None:
    draw = random.Random(seed)
    paths = {"lab": ["lab"], "lab/a": ["lab", "lab/a"], "lab/b": ["lab", "lab/b"]}
    for number in range(40):
        parent = draw.choice(sorted(paths))
        key = f"{draw.choice('abxyz')}{number}"
        memory.call("select memhouse.create_scope('lab', %s, %s)", key, parent)
        paths[key] = [*paths[parent], key]
    token = memory.call("select memhouse.create_credential('lab', 'some')")
    effects: dict[str, set[str]] = {"allow": set(), "deny": set()}
    for effect, count in (("allow", 5), ("deny", 4)):
        for key in draw.sample(sorted(paths), count):
            role = draw.choice(["reader", "member", "curator"])
            memory.call("select memhouse.grant_scope('lab', 'some', %s, %s, %s)", key, role, effect)
            effects[effect].add(key)
    granted = {key for key, path in paths.items() if effects["allow"] & set(path) and not effects["deny"] & set(path)}
    assert granted

    def scopes(key: str | None) -> list[str]:
        return memory.call("select scopes from memhouse.begin_read(%s, p_scope => %s)", token, key)

    assert scopes(None) == sorted(granted)
    for key in granted:
        assert scopes(key) == sorted(granted & set(paths[key])), key
    absent = ["", "\x01", "lab/", "lab/a/", "m", "zzz", "Lab", *(f"{key}0" for key in sorted(paths)[:10])]
    for key in [*sorted(paths.keys() - granted), *absent]:
        fails("MH007", "select memhouse.begin_read(%s, p_scope => %s)", token, key)


def test_an_account_without_scopes_grants_none(memory: Memory, fails: Callable) -> None:
    memory.call("select memhouse.create_account('bare')")
    token = memory.call("select memhouse.create_credential('bare', 'nobody')")
    assert memory.call("select scopes from memhouse.begin_read(%s)", token) == []
    fails("MH007", "select memhouse.begin_read(%s, p_scope => 'lab')", token)
