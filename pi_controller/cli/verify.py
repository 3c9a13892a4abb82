"""`pi-controller verify`: dice and hash chain of an exported game, computed again."""

from pathlib import Path

from pi_controller.cli.catalogue import COMMANDS
from pi_controller.cli.usage import BAD_USAGE, FAILED, Stop, parser_for
from pi_controller.journal.verify import verify_file


def run(name: str, given: list[str]) -> int:
    """0 when every roll is proved, 1 when not."""
    parser = parser_for(name, COMMANDS[name].summary)
    parser.add_argument("export", type=Path, metavar="F", help="written by `journal export`")
    parser.add_argument(
        "--commitment", metavar="HEX", help="the commitment that the hall saw, 16 digits or more"
    )
    parser.add_argument(
        "--head", metavar="HEX", help="the journal's head that the hall saw, 8 digits or more"
    )
    parser.add_argument(
        "--word", metavar="TEXT", help="the public word that the hall heard; empty when none was spoken"
    )
    arguments = parser.parse_args(given)
    try:
        report = verify_file(
            arguments.export, commitment=arguments.commitment, head=arguments.head, word=arguments.word
        )
    except OSError as error:
        raise Stop(FAILED, f"{arguments.export}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(BAD_USAGE, str(error)) from error
    for sentence in report.sentences:
        print(sentence)
    return report.exit_status
