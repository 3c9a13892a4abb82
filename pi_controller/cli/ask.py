"""Talking to core from the command line, and what it has said in the shell's language."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_controller.cli.usage import ACCEPTED, NOT_SAVED, REFUSED, state_dir
from pi_controller.language.words import words
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.question import CommandAnswer
from pi_controller.protocol.sentences import SentenceView, told
from pi_controller.sentence import Sentence, as_told

if TYPE_CHECKING:  # a command of the game is asked without them
    from pi_controller.protocol.client import Client
    from pi_controller.protocol.messages import ChangeAnswer


def core_of(arguments: Namespace) -> "Client":
    """A client of the controller that the arguments name. Raises SocketPathTooLong."""
    from pi_controller.protocol.client import Client  # noqa: PLC0415 - as above

    return Client(socket_path(state_dir(arguments)))


def given(arguments: Namespace) -> dict[str, object]:
    """Those of the command's own arguments that were given, by their names."""
    apart = ("task", "task_name", "state_dir")
    return {key: value for key, value in vars(arguments).items() if value is not None and key not in apart}


def all_told(texts: Sequence[str], keys: Sequence[SentenceView]) -> list[Sentence]:
    """What core has said, by its keys; the texts as they are where these have no keys beside them."""
    if len(keys) != len(texts):
        return [as_told(text) for text in texts]
    return [told(text, seen) for text, seen in zip(texts, keys, strict=True)]


def status_of(answer: "CommandAnswer | ChangeAnswer") -> int:
    """The exit status for this answer; the reasons, or what else core has to say, go to stderr."""
    for reason in all_told(answer.reasons, answer.reason_keys):
        print(words(reason), file=sys.stderr)
    if answer.accepted:
        return ACCEPTED
    return NOT_SAVED if isinstance(answer, CommandAnswer) and answer.done else REFUSED
