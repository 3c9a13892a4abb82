"""Talking to core from the command line, with its troubles turned into exit statuses, and its sentences into
those of the shell's language."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pi_controller.cli.usage import BAD_USAGE, FAILED, NO_CORE, Stop, state_dir
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.messages import ChangeAnswer, CommandAnswer
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.sentences import SentenceView, told
from pi_controller.sentence import Sentence, as_told


@contextmanager
def core_of(arguments: Namespace) -> Iterator[Client]:
    """A client of the controller that the arguments name; its errors end the program."""
    try:
        yield Client(socket_path(state_dir(arguments)))
    except NoCore as error:
        raise Stop(NO_CORE, error.sentence) from error
    except (Malformed, SocketPathTooLong) as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except CoreTrouble as error:
        raise Stop(FAILED, error.sentence) from error


def all_told(texts: Sequence[str], keys: Sequence[SentenceView]) -> list[Sentence]:
    """What core has said, by its keys; the texts as they are where these have no keys beside them."""
    if len(keys) != len(texts):
        return [as_told(text) for text in texts]
    return [told(text, seen) for text, seen in zip(texts, keys, strict=True)]


def say_reasons(answer: CommandAnswer | ChangeAnswer) -> None:
    """On stderr, why core refused, or what else it has to say."""
    for reason in all_told(answer.reasons, answer.reason_keys):
        print(words(reason), file=sys.stderr)
