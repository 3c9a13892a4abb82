"""What the blocking and the asyncio form of the client share: how a line of core's is read, and the sentences
for a core that does not answer."""

from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from pi_controller.language.system_errors import why
from pi_controller.protocol.answer_types import RequestId
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import LONGEST_ANSWER
from pi_controller.protocol.paths import UNIT_STATE_DIR
from pi_controller.protocol.sentences import SentenceView, told
from pi_controller.sentence import Sentence

DEFAULT_TIMEOUT_S = 10.0
"""Longer than the journal's own deadline, so that core tells of a stalled disk before the asker gives up."""

AnswerT = TypeVar("AnswerT")


class Line(Struct, kw_only=True):
    """Any line of core's, as far as it is told apart on its way: what it carries stands as it was written,
    or is empty."""

    id: RequestId | None = None
    malformed: str | None = None
    malformed_key: SentenceView | None = None
    error: str | None = None
    error_key: SentenceView | None = None
    result: Raw = Raw(b"null")
    picture: Raw = Raw()
    beat: Raw = Raw()
    panel: Raw = Raw()
    tables: Raw = Raw()
    test: Raw = Raw()
    uplink: Raw = Raw()

    def trouble(self) -> Malformed | CoreTrouble | None:
        """With core's own sentence, when the line is one."""
        if self.malformed is not None:
            return Malformed(told(self.malformed, self.malformed_key))
        return None if self.error is None else CoreTrouble(told(self.error, self.error_key))


def read_line(line: bytes) -> Line:
    """CoreTrouble when it is none of core's."""
    return read_as(line, Line)


def decode_answer(line: bytes, expected: type[AnswerT]) -> AnswerT:
    """What core answered. Malformed and CoreTrouble are raised with core's own sentence."""
    trouble = read_line(line).trouble()
    if trouble is not None:
        raise trouble
    return read_as(line, expected)


def read_as(line: bytes, expected: type[AnswerT]) -> AnswerT:
    """A line that is known to be no sentence about a trouble. CoreTrouble when it is none of core's."""
    try:
        return msgspec.json.decode(line, type=expected)
    except msgspec.DecodeError as error:
        raise CoreTrouble(Sentence("core.not_understood", why=str(error))) from error


def too_long() -> CoreTrouble:
    return CoreTrouble(Sentence("core.answer_too_long", most=LONGEST_ANSWER))


def is_away(error: OSError) -> bool:
    """Whether nobody listens at the socket."""
    return isinstance(error, FileNotFoundError | NotADirectoryError | ConnectionRefusedError)


def no_answer(path: Path, within_s: float) -> NoCore:
    return NoCore(Sentence("core.no_answer", path=str(path), seconds=within_s))


def hung_up(path: Path) -> NoCore:
    return NoCore(Sentence("core.hung_up", path=str(path)))


def unreachable(error: OSError, path: Path, refused: Sentence | None = None) -> NoCore:
    """For a control socket that cannot be reached, or breaks. `refused`: what a core left there that did not
    start (`refusal.py`)."""
    if is_away(error):
        if refused is not None:
            return NoCore(Sentence("core.does_not_start", why=refused))
        if path.parent == UNIT_STATE_DIR:
            return NoCore(Sentence("core.nobody_answers_here"))
        return NoCore(Sentence("core.nobody_answers", path=str(path)))
    if isinstance(error, PermissionError):
        return NoCore(Sentence("core.not_for_this_user", path=str(path)))
    if isinstance(error, BlockingIOError | TimeoutError):
        return NoCore(Sentence("core.too_busy", path=str(path)))
    return NoCore(Sentence("core.not_reached", path=str(path), why=why(error)))
