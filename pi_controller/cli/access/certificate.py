"""`pi-controller certificate`: the controller's own certificate for the staff's pages."""

import sys
from datetime import UTC, datetime

from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import own_names
from pi_controller.web.http.own_certificate import make_own
from pi_controller.web.http.tls import CertificateFault, own_files


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    make = tasks.add_parser("make", help=words(Sentence("help.certificate_make")))
    show = tasks.add_parser("show", help=words(Sentence("help.certificate_show")))
    for task in (make, show):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    folder = state_dir(arguments) / "web"
    try:
        if arguments.task == "make":
            make_own(folder, own_names(), datetime.now(UTC))
            print(words(Sentence("certificate.made")))
        files, now = own_files(folder), datetime.now(UTC)
        print(words(Sentence("certificate.fingerprint", fingerprint=files.fingerprint())))
        validity = files.validity()
        first, last = f"{validity.first:%Y-%m-%d}", f"{validity.last:%Y-%m-%d}"
        print(words(Sentence("certificate.valid", first=first, last=last)))
        if (doubt := validity.doubt(now)) is not None:
            print(words(doubt), file=sys.stderr)
    except CertificateFault as fault:
        raise Stop(FAILED, fault.sentence) from fault
    return ACCEPTED
