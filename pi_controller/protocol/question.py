"""A question over the control socket and its answer, and a command of the game as the question that most of
them are: no more than `pi-controller pause` has to load. `messages.py` has the other questions."""

import contextlib
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from pi_controller.language.languages import ENGLISH, EVERY, chosen
from pi_controller.language.system_errors import why
from pi_controller.protocol import refusal
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, RequestId
from pi_controller.protocol.paths import UNIT_STATE_DIR
from pi_controller.protocol.sentences import SentenceView, told
from pi_controller.sentence import Sentence

VERSION: Literal[1] = 1
LONGEST_ANSWER = 1024 * 1024
"""Bytes of an answer: 512 players' claims in one picture stay well below it."""
LONGEST_REQUEST = 256 * 1024
"""Bytes of a request with its line end: a leader's picture with the claims of 512 players stays below it."""

AnswerT = TypeVar("AnswerT")


class Question(Struct, Generic[AnswerT], forbid_unknown_fields=True, kw_only=True, tag_field="ask"):
    """A request that is answered with an `AnswerT`; a stream begins with it. `lang`, a tag such as `pl`: the
    language of the sentences in the answer; without one, or with one that is not there, they are English."""

    version: int = VERSION
    id: RequestId = 1
    lang: str | UnsetType = UNSET

    @property
    def language(self) -> str:
        """Of the sentences in the answer."""
        return chosen([self.lang], EVERY) or ENGLISH if isinstance(self.lang, str) else ENGLISH


class CommandAnswer(Struct, kw_only=True):
    """`seq` is the picture's after the command; `reasons` are sentences, empty when accepted, `reason_keys`
    the same before they were put into words.

    `done` without `accepted`: it is done and shown, but not on the disk; its key is answered so until it is.
    """

    id: RequestId
    accepted: bool
    seq: int
    reasons: list[str] = []
    reason_keys: list[SentenceView] = []
    done: bool = False


class AskCommand(Question[CommandAnswer], tag="command"):
    """`key` makes a repeat harmless; `if_seq` of `if_session` is the picture that its sender saw."""

    name: str
    body: Any = None
    source: str = "cli"
    key: str | None = None
    if_seq: Annotated[int, Meta(ge=0)] | None = None
    if_session: str | None = None


def answer_type(request: Question[AnswerT]) -> type[AnswerT]:
    """What it is answered with, as its class says; for a stream, what its first line is."""
    kind: type[AnswerT] = type(request).__orig_bases__[0].__args__[0]  # type: ignore[attr-defined]
    return kind


def encode(answer: Struct | dict[str, object]) -> bytes:
    """The line of an answer or of news."""
    return msgspec.json.encode(answer) + b"\n"


def encode_request(request: Question[Any]) -> bytes:
    """The request's line; Malformed when it is longer than LONGEST_REQUEST."""
    line = encode(request)
    if len(line) > LONGEST_REQUEST:
        raise Malformed(Sentence("request.too_long", most=LONGEST_REQUEST, length=len(line)))
    return line


# How a line of core's is read, and the sentences for a core that does not answer.


DEFAULT_TIMEOUT_S = 10.0
"""Longer than the journal's own deadline, so that core tells of a stalled disk before the asker gives up."""


class CoreLine(Struct, kw_only=True):
    """Any line of core's, as far as it is told apart on its way: what it carries stands as it was written,
    or is empty."""

    id: RequestId | None = None
    malformed: str | None = None
    malformed_key: SentenceView | None = None
    error: str | None = None
    error_key: SentenceView | None = None
    result: Raw = Raw(b"null")
    picture: Raw = Raw()
    on: int = 0
    change: Raw = Raw()
    allowed: Raw = Raw()
    beat: Raw = Raw()
    panel: Raw = Raw()
    tables: Raw = Raw()
    test: Raw = Raw()
    uplink: Raw = Raw()

    @property
    def shown(self) -> Raw:
        """What it says of the picture: a whole one, or the change of one (`changes.py`); empty: nothing."""
        return self.picture or self.change

    def trouble(self) -> Malformed | CoreTrouble | None:
        """With core's own sentence, when the line is one."""
        if self.malformed is not None:
            return Malformed(told(self.malformed, self.malformed_key))
        return None if self.error is None else CoreTrouble(told(self.error, self.error_key))


def read_line(line: bytes) -> CoreLine:
    """CoreTrouble when it is none of core's."""
    return read_as(line, CoreLine)


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


class BlockingConnection:
    """One connection to core, from which its lines are read one by one. Raises NoCore and CoreTrouble."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._path = path
        self._closed = False
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise unreachable(error, path, refusal.read(path.parent)) from error
        self._file: BinaryIO = self._socket.makefile("rb")

    def send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise unreachable(error, self._path) from error

    def ask(self, request: Question[AnswerT], timeout_s: float) -> AnswerT:
        """One question, one answer; Malformed and CoreTrouble with core's own sentence."""
        self.send(encode_request(request))
        return decode_answer(self.receive(timeout_s), answer_type(request))

    def receive(self, timeout_s: float) -> bytes:
        """The next line."""
        try:
            self._socket.settimeout(timeout_s)
            line = self._file.readline(LONGEST_ANSWER)
        except TimeoutError as error:
            raise no_answer(self._path, timeout_s) from error
        except ValueError as error:
            raise self._ended() from error
        except OSError as error:
            raise (self._ended() if self._closed else unreachable(error, self._path)) from error
        if len(line) >= LONGEST_ANSWER:
            raise too_long()
        if not line.endswith(b"\n"):
            raise self._ended() if self._closed else hung_up(self._path)
        return line

    def close(self) -> None:
        """At once, from any thread: one that receives is told that it is over."""
        self._closed = True
        with contextlib.suppress(OSError):  # core has hung up already
            self._socket.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self._socket.close()

    def _ended(self) -> NoCore:
        """Another thread has closed it."""
        return NoCore(Sentence("core.connection_closed", path=str(self._path)))


@contextmanager
def asked(path: Path, request: Question[Any], timeout_s: float) -> Iterator[BlockingConnection]:
    """A connection of its own, on which this has been asked."""
    line = encode_request(request)
    with closing(BlockingConnection(path, timeout_s)) as connection:
        connection.send(line)
        yield connection


def ask(path: Path, request: Question[AnswerT], timeout_s: float = DEFAULT_TIMEOUT_S) -> AnswerT:
    """One question, one answer. Raises NoCore when nobody answers, Malformed and CoreTrouble with core's own
    sentence."""
    with asked(path, request, timeout_s) as connection:
        return decode_answer(connection.receive(timeout_s), answer_type(request))
