"""The one error of this package."""


class SettingsFault(ValueError):  # noqa: N818 - the word of the settings, as callers know it
    """The settings cannot be used; `problems` holds one sentence for each mistake."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
