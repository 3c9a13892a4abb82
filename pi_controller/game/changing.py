"""A frozen value with some of its fields changed, in a fifth of the time of `dataclasses.replace`: each event
of a game makes two or three such values, and a start folds all events of the evening."""

from typing import TYPE_CHECKING, Any

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """As `dataclasses.replace`, for classes without slots and without checks of their own; the fields are
        copied as a whole and not passed through the constructor."""
        made = object.__new__(type(value))
        fields = made.__dict__
        fields.update(value.__dict__)
        fields.update(changes)
        return made
