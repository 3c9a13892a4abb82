"""The defects of this folder: one file of the product spoilt at one place, and the test that must notice."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Defect:
    """`old` stands exactly once in `file`; with `new` in its place, `test` fails. Without a `test` none has been
    found yet."""

    name: str
    file: str
    old: str
    new: str
    test: str = ""

    def spoilt(self, text: str) -> str:
        """The file's text with the defect. Raises ValueError when the place is not there once."""
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: {self.file} holds {self.old!r} {text.count(self.old)} times, not once"
            )
        return text.replace(self.old, self.new)

    @property
    def places(self) -> list[list[str]]:
        """Where its test is looked for: the file of tests that mirrors the spoilt one, then those beside it, then
        the whole folder."""
        path = Path(self.file)
        folder = Path("tests", *path.parts[1:-1] if path.parts[0] == "pi_controller" else path.parts[:1])
        mirror, beside = [folder / f"test_{path.stem}.py"], sorted((ROOT / folder).glob("test_*.py"))
        found = [mirror, [file.relative_to(ROOT) for file in beside], [Path(*folder.parts[:2])]]
        return [
            [str(place) for place in places] for places in found if places and (ROOT / places[0]).exists()
        ]


def load(folder: Path = HERE) -> list[Defect]:
    """All defects, in the order of their files. Raises TypeError for an entry that lacks or invents a field."""
    return [
        Defect(**entry)
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["defect"]
    ]
