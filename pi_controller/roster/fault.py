"""The one error of this package."""


class RosterFault(ValueError):  # noqa: N818 - an answer to who brought the roster
    """The roster cannot be used or changed so; `problems` holds one sentence for each mistake."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
