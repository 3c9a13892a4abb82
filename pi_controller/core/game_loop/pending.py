"""A command that somebody has given, and its answer."""

import hashlib
import json
from collections import OrderedDict
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from pi_controller.game.commands import Command
from pi_controller.language.words import all_words
from pi_controller.protocol.commands import Arm, Identify
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import CommandAnswer, Question, encode
from pi_controller.protocol.sentences import SentenceView, sentence, views
from pi_controller.sentence import Sentence, as_told

# Answers by idempotency key: a repeated request gets the kept answer and is not carried out again. Pure.


MOST_KEPT = 10_000
"""More than the commands of an evening. The oldest are dropped."""

KEY_REUSED = Sentence("answer.key_reused")


class KeptAnswer(msgspec.Struct, frozen=True):
    """A kept answer; `fingerprint` tells whether a repeat is the same command."""

    fingerprint: str
    accepted: bool
    reasons: tuple[Sentence, ...] = ()

    def data(self, key: str) -> dict[str, object]:
        """The data of an `answered` journal line: reasons in English, and beside them as sentences."""
        line: dict[str, object] = {
            "key": key,
            "fingerprint": self.fingerprint,
            "accepted": self.accepted,
            "reasons": all_words(self.reasons),
        }
        return line | {"reason_keys": msgspec.to_builtins(views(self.reasons))} if self.reasons else line


class KeptAnswers:
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
        """Remove the answer of this key."""
        if key is not None:
            self._kept.pop(key, None)

    def restore(self, data: dict[str, Any]) -> None:
        """Take over an `answered` line of the journal."""
        kept = KeptAnswer(data["fingerprint"], data["accepted"], _reasons(data))
        self.keep(data["key"], kept)


def _reasons(data: dict[str, Any]) -> tuple[Sentence, ...]:
    """The reasons of a line as sentences. Where only words were kept (earlier releases), or this release
    lacks the text, the words themselves."""
    told = tuple([as_told(text) for text in data["reasons"]])
    try:
        kept = msgspec.convert(data.get("reason_keys"), list[SentenceView])
        sentences = tuple([sentence(one) for one in kept])
        return sentences if len(all_words(sentences)) == len(told) else told
    except (LookupError, ValueError):
        return told


def fingerprint(name: str, body: object) -> str:
    """A hash that is equal for equal commands, independent of JSON formatting."""
    text = json.dumps([name, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Answer(Struct, frozen=True):
    """*Accepted* means: done and on the disk; `done` without it: done and shown, but not on the disk.

    `seq` is the picture's after the command.
    """

    accepted: bool
    seq: int
    reasons: tuple[Sentence, ...] = ()
    done: bool = False


def encode_answer(request: Question[CommandAnswer], answer: Answer) -> bytes:
    """The line that gives this answer to a request."""
    told = CommandAnswer(
        id=request.id,
        accepted=answer.accepted,
        seq=answer.seq,
        reasons=all_words(answer.reasons, request.language),
        reason_keys=views(answer.reasons),
        done=answer.done,
    )
    return encode(told)


class CommandRefused(RuntimeError):  # noqa: N818 - an answer to who asked
    """The command is refused for these reasons; a repeat with the same key is refused likewise."""

    def __init__(self, reasons: tuple[Sentence, ...]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class NotDone(RuntimeError):  # noqa: N818 - an answer to who asked
    """Nothing was done, for a temporary reason. The answer is not kept, so the same command may be sent
    again."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.reasons = (sentence,)


class Asker(Protocol):
    """Who has given a command."""

    @property
    def gone(self) -> bool:
        """True if nobody waits for the answer any more."""


class HallAsker:
    """The asker for the big button and the tables, which never disconnects."""

    gone = False


PANEL = HallAsker()


class RemoteGame(Protocol):
    """Interface to another core's game that is shown in place of the own one."""

    @property
    def plays(self) -> bool:
        """True if its clock or a 3-2-1 countdown runs."""

    def board(self, name: str) -> str:
        """The name of a board of this hall in that game's claims."""

    def over(self, own: Picture) -> Picture:
        """The picture to show in place of the own one."""

    def press(self, at_ns: int) -> None:
        """Hand over a press of the big button."""

    async def carry_out(self, pending: "PendingCommand") -> Answer:
        """Hand over a command. Raises Refused, or NotDone for a temporary reason."""


class SeenPicture(Struct, frozen=True):
    """The picture that the sender of a command saw. Without `session`: one of this run of core."""

    seq: int
    session: str | None = None


class PendingCommand(Struct, frozen=True):
    """A command and who gave it. `at_ns` is CLOCK_BOOTTIME of its cause. `seen` is None if the sender saw no
    picture.

    `body` is the request as received, for the fingerprint under which the answer to `key` is kept.
    """

    name: str
    body: object
    command: Command | Arm | Identify
    source: str
    at_ns: int
    key: str | None = None
    asker: Asker = PANEL
    seen: SeenPicture | None = None

    @property
    def fingerprint(self) -> str:
        """Equal for a repeat of this command."""
        return fingerprint(self.name, self.body)

    def kept(self, *, accepted: bool, reasons: tuple[Sentence, ...] = ()) -> KeptAnswer:
        """The answer as it is kept by the key."""
        return KeptAnswer(self.fingerprint, accepted, reasons)
