"""Talking to core from the command line, with its troubles turned into exit statuses."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from pi_controller.cli.usage import BAD_USAGE, FAILED, NO_CORE, Stop, state_dir
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path


@contextmanager
def core_of(arguments: Namespace) -> Iterator[Client]:
    """A client of the controller that the arguments name; its errors end the program."""
    try:
        yield Client(socket_path(state_dir(arguments)))
    except NoCore as error:
        raise Stop(NO_CORE, str(error)) from error
    except (Malformed, SocketPathTooLong) as error:
        raise Stop(BAD_USAGE, str(error)) from error
    except CoreTrouble as error:
        raise Stop(FAILED, str(error)) from error
