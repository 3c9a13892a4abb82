"""Answers kept by idempotency key, so that a repeated request is answered and not done again. Pure."""

import hashlib
import json
from collections import OrderedDict
from typing import Any

import msgspec

from pi_controller.language.words import all_words
from pi_controller.protocol.sentences import SentenceView, sentence, views
from pi_controller.sentence import Sentence, as_told

MOST_KEPT = 10_000
"""Far more than an evening has commands; the oldest go first."""

KEY_REUSED = Sentence("answer.key_reused")


class KeptAnswer(msgspec.Struct, frozen=True):
    """What was answered; `fingerprint` tells whether a repeat asks for the same."""

    fingerprint: str
    accepted: bool
    reasons: tuple[Sentence, ...] = ()

    def data(self, key: str) -> dict[str, object]:
        """As it stands in a journal line of kind `answered`: the reasons in English, as in every journal so
        far, and beside them as sentences."""
        line: dict[str, object] = {
            "key": key,
            "fingerprint": self.fingerprint,
            "accepted": self.accepted,
            "reasons": all_words(self.reasons),
        }
        return line | {"reason_keys": msgspec.to_builtins(views(self.reasons))} if self.reasons else line


class Answers:
    """Kept answers, oldest first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, KeptAnswer] = OrderedDict()

    def get(self, key: str | None) -> KeptAnswer | None:
        return None if key is None else self._kept.get(key)

    def keys(self, beginning: str) -> list[str]:
        """The keys that begin like this, oldest first."""
        return [key for key in self._kept if key.startswith(beginning)]

    def keep(self, key: str, answer: KeptAnswer) -> None:
        self._kept[key] = answer
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def forget(self, key: str | None) -> None:
        """As if it had not been answered."""
        if key is not None:
            self._kept.pop(key, None)

    def restore(self, data: dict[str, Any]) -> None:
        """Take over an `answered` line of the journal."""
        kept = KeptAnswer(data["fingerprint"], data["accepted"], _reasons(data))
        self.keep(data["key"], kept)


def _reasons(data: dict[str, Any]) -> tuple[Sentence, ...]:
    """Told again as they were where only their words are kept, as by earlier releases, or where this one has
    no text for a key of another."""
    told = tuple([as_told(text) for text in data["reasons"]])
    try:
        kept = msgspec.convert(data.get("reason_keys"), list[SentenceView])
        sentences = tuple([sentence(one) for one in kept])
        return sentences if len(all_words(sentences)) == len(told) else told
    except (LookupError, ValueError):
        return told


def fingerprint(name: str, body: object) -> str:
    """The same for the same command, however its JSON was written."""
    text = json.dumps([name, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
