"""A frozen value with some of its fields changed, in half the time of `dataclasses.replace`: each event of a
game makes two or three such values, and a start folds all events of the evening."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """As `dataclasses.replace`, for classes with slots and without checks of their own; the fields are
        copied and not passed through the constructor."""
        kind = type(value)
        copies, puts = _slots(kind)
        made = object.__new__(kind)
        for get, put in copies:
            put(made, get(value))
        for name, changed in changes.items():
            puts[name](made, changed)
        return made


@cache
def _slots(kind: type) -> tuple[list[tuple[Callable[..., Any], ...]], dict[str, Callable[..., Any]]]:
    if hasattr(kind, "__post_init__"):
        raise TypeError(f"a {kind.__name__} checks its fields when it is made: use dataclasses.replace")
    slots = {field.name: getattr(kind, field.name) for field in fields(kind)}
    return [(slot.__get__, slot.__set__) for slot in slots.values()], {
        name: slot.__set__ for name, slot in slots.items()
    }
