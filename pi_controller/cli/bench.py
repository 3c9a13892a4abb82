"""`pi-controller bench`: figures of this machine, each beside its floor and its target."""

import sys
from argparse import Namespace
from pathlib import Path

from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Parser, Stop, number, parser_for
from pi_controller.sentence import as_told

LONGEST_MINUTES = 24 * 60.0


def run(name: str, given: list[str]) -> int:
    """0 when everything was measured, whether targets are met or not: a figure is an answer."""
    parser = parser_for(name)
    _add_arguments(parser)
    arguments = parser.parse_args(given)
    # Imported here and not above: the benchmarks load the whole product, which wrong usage need not.
    from pi_controller.bench.catalogue import BENCHES, NAMES, chosen  # noqa: PLC0415

    if arguments.list:
        for each, bench in BENCHES.items():
            print(f"{each:13}  {bench.summary}")
        return ACCEPTED
    unknown = [each for each in arguments.names if not chosen(each)]
    if unknown:
        raise Stop(
            BAD_USAGE,
            as_told(
                f"pi-controller bench: {unknown[0]!r} is no benchmark; the benchmarks are {', '.join(NAMES)}"
            ),
        )
    _check_places(arguments)
    usual = [each for each, bench in BENCHES.items() if not bench.long]
    return _measure(
        arguments, list(dict.fromkeys(each for name in arguments.names or usual for each in chosen(name)))
    )


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="which of them (default: all; see --list)")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and end")
    parser.add_argument("--json", type=Path, metavar="F", help="write the figures to this file as well")
    parser.add_argument("--quick", action="store_true", help="fewer samples: a look, not a figure to quote")
    parser.add_argument(
        "--minutes", type=number, metavar="M", help="length of `clock` (default: 1; the whole thing is 50)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="D",
        help="measure the disk that this folder is on (default: where temporary files lie)",
    )


def _check_places(arguments: Namespace) -> None:
    minutes = arguments.minutes
    if minutes is not None and not 0 < minutes <= LONGEST_MINUTES:
        raise Stop(
            BAD_USAGE,
            as_told(f"pi-controller bench: --minutes is {minutes:g}; it must be above 0 and at most 1440"),
        )
    if arguments.folder is not None and not arguments.folder.is_dir():
        raise Stop(BAD_USAGE, as_told(f"pi-controller bench: {arguments.folder} is no folder; make it first"))
    if arguments.json is not None and not arguments.json.absolute().parent.is_dir():
        raise Stop(
            BAD_USAGE, as_told(f"pi-controller bench: {arguments.json.parent} is no folder; make it first")
        )


def _measure(arguments: Namespace, names: list[str]) -> int:
    from pi_controller.bench.catalogue import BENCHES  # noqa: PLC0415 - as above
    from pi_controller.bench.figures import HEADING, as_json, machine_line, rows  # noqa: PLC0415
    from pi_controller.bench.processes import BenchError, load  # noqa: PLC0415

    figures, loads = [], [load()]
    print(machine_line())
    print(HEADING)
    for name in names:
        longer = {"seconds": arguments.minutes * 60} if name == "clock" and arguments.minutes else {}
        try:
            found = BENCHES[name].figures(quick=arguments.quick, folder=arguments.folder, say=_say, **longer)
        except (BenchError, OSError) as error:
            raise Stop(
                FAILED, as_told(f"pi-controller bench: {name} could not be measured: {error}")
            ) from error
        for figure in found:
            print(*rows(figure), sep="\n", flush=True)
        figures += found
        loads.append(load())
    print(f"load before and after each: {' | '.join(loads)}")
    if arguments.json is not None:
        try:
            arguments.json.write_bytes(as_json(figures, loads))
        except OSError as error:
            raise Stop(FAILED, as_told(f"pi-controller bench: {arguments.json}: {error.strerror}")) from error
    return ACCEPTED


def _say(line: str) -> None:
    """Progress; apart from the figures."""
    print(line, file=sys.stderr, flush=True)
