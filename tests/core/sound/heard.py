"""Everything that is said, with espeak-ng's phonemes and what should be heard: `heard.tsv`.

`python -m tests.core.sound.heard` writes the list anew by the espeak-ng of this machine and prints what differs.
The last column is for people: where a text is new or another one, it is empty until somebody has compared its
phonemes with what a native says.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path

from pi_controller.core.sound.voice import wanted
from pi_controller.game.rule_sets import RULE_SETS
from pi_controller.language.languages import EVERY, VOICES

LIST = Path(__file__).with_name("heard.tsv")
VERSION = "1.51"
"""Of the espeak-ng whose phonemes these are; another one may speak differently."""
HEAD = f"""\
# What the loudspeaker says, by espeak-ng {VERSION} (Debian 12). Reviewed by reading the phonemes; no native has heard it yet.
# The last column is what should be heard: its capitals are stressed.
"""
BETWEEN = "1000000"
"""Said before each text, so that one run says of all of them which phonemes are whose."""


@dataclass(frozen=True, slots=True)
class Row:
    language: str
    phrase: str
    text: str
    phonemes: str
    heard: str = ""

    @property
    def line(self) -> str:
        return "\t".join((self.language, self.phrase, self.text, self.phonemes, self.heard)) + "\n"


def kept() -> list[Row]:
    """The list as it stands."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [Row(*cells) for cells in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def spoken(language: str) -> list[Row]:
    """Everything that is said in this language by any rules, with the phonemes of this machine's espeak-ng."""
    texts = {
        one.name: one.text
        for rules in RULE_SETS.values()
        for one in wanted([language], rules.name, rules.robber_targets)
    }
    read = phonemes(language, list(texts.values()))
    return [Row(language, name, text, said) for (name, text), said in zip(texts.items(), read, strict=True)]


def phonemes(language: str, texts: Sequence[str]) -> list[str]:
    """Of each of these texts; the pauses within one are bars."""
    given = "\n\n".join(part for text in texts for part in (BETWEEN, text))
    command = ["espeak-ng", "-q", "--ipa", "-v", VOICES[language], "--stdin"]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    lines = [line.strip() for line in done.stdout.splitlines()]
    said: list[list[str]] = []
    for line in lines:
        if line == lines[0]:
            said.append([])
        elif line:
            said[-1].append(line)
    return [" | ".join(parts) for parts in said]


def renewed(before: Sequence[Row]) -> Iterator[Row]:
    """What is said now, with what people wrote of the same text."""
    known = {(row.language, row.phrase, row.text): row.heard for row in before}
    for language in EVERY:
        for row in spoken(language):
            yield replace(row, heard=known.get((row.language, row.phrase, row.text), ""))


def main() -> int:
    before = LIST.read_text(encoding="utf-8") if LIST.exists() else ""
    after = HEAD + "".join(row.line for row in renewed(kept() if before else []))
    LIST.write_text(after, encoding="utf-8")
    sys.stdout.writelines(unified_diff(before.splitlines(True), after.splitlines(True), n=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
