"""`pi-controller bench`: figures of this machine, each beside its floor and its target."""

import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, argument, command, number, parser_of
from pi_controller.sentence import as_told

if TYPE_CHECKING:
    from pi_controller.bench.catalogue import Bench

LONGEST_MINUTES = 24 * 60.0


ARGUMENTS = (
    argument("names", nargs="*", metavar="NAME", help="which of them (default: all; see --list)"),
    argument("--list", action="store_true", help="name the benchmarks and end"),
    argument("--json", type=Path, metavar="F", help="write the figures to this file as well"),
    argument("--quick", action="store_true", help="fewer samples: a look, not a figure to quote"),
    argument(
        "--minutes", type=number, metavar="M", help="length of `clock` (default: 1; the whole thing is 50)"
    ),
    argument(
        "--folder",
        type=Path,
        metavar="D",
        help="measure the disk that this folder is on (default: where temporary files lie)",
    ),
)


@command("bench", *ARGUMENTS, in_state_dir=False)
def bench(arguments: Namespace) -> int:
    """0 when everything was measured, whether targets are met or not: a figure is an answer."""
    # Imported here and not above: the benchmarks load the whole product, which wrong usage need not.
    from pi_controller.bench.catalogue import BENCHES  # noqa: PLC0415

    return _chosen("pi-controller bench", arguments, BENCHES)


def measure(program: str, given: list[str], benches: "Mapping[str, Bench]") -> int:
    """The same for a program that has other benchmarks."""
    parser = parser_of("bench")
    parser.prog = program
    return _chosen(program, parser.parse_args(given), benches)


def _chosen(program: str, arguments: Namespace, there: "Mapping[str, Bench]") -> int:
    from pi_controller.bench.catalogue import chosen  # noqa: PLC0415 - as above

    if arguments.list:
        for each, one in there.items():
            print(f"{each:13}  {one.summary}")
        return ACCEPTED
    for name in arguments.names:
        if not chosen(name, there):
            raise Stop(BAD_USAGE, as_told(f"{program}: {_why_not(name, there)}"))
    _check_places(program, arguments)
    usual = [each for each, one in there.items() if not one.long]
    names = [each for name in arguments.names or usual for each in chosen(name, there)]
    return _measure(program, arguments, {each: there[each] for each in names})


def _why_not(name: str, benches: "Mapping[str, Bench]") -> str:
    """Why nothing can be measured by this name."""
    from pi_controller.bench.catalogue import OF_A_CHECKOUT  # noqa: PLC0415 - as above

    if name in {*OF_A_CHECKOUT, *(each.partition(".")[0] for each in OF_A_CHECKOUT)}:
        return f"{name!r} needs a checkout of the sources: run `python -m benchmarks {name}` in its folder"
    groups = dict.fromkeys(each.partition(".")[0] for each in benches)
    return f"{name!r} is no benchmark; the benchmarks are {', '.join(groups)}"


def _check_places(program: str, arguments: Namespace) -> None:
    minutes = arguments.minutes
    if minutes is not None and not 0 < minutes <= LONGEST_MINUTES:
        raise Stop(
            BAD_USAGE, as_told(f"{program}: --minutes is {minutes:g}; it must be above 0 and at most 1440")
        )
    if arguments.folder is not None and not arguments.folder.is_dir():
        raise Stop(BAD_USAGE, as_told(f"{program}: {arguments.folder} is no folder; make it first"))
    if arguments.json is not None and not arguments.json.absolute().parent.is_dir():
        raise Stop(BAD_USAGE, as_told(f"{program}: {arguments.json.parent} is no folder; make it first"))


def _measure(program: str, arguments: Namespace, benches: "Mapping[str, Bench]") -> int:
    from pi_controller.bench.figures import HEADING, as_json, machine_line, rows  # noqa: PLC0415 - as above
    from pi_controller.bench.processes import BenchError, load  # noqa: PLC0415

    figures, loads = [], [load()]
    print(machine_line())
    print(HEADING)
    for name, bench in benches.items():
        longer = {"seconds": arguments.minutes * 60} if name == "clock" and arguments.minutes else {}
        try:
            found = bench.figures(quick=arguments.quick, folder=arguments.folder, say=_say, **longer)
        except (BenchError, OSError) as error:
            raise Stop(FAILED, as_told(f"{program}: {name} could not be measured: {error}")) from error
        for figure in found:
            print(*rows(figure), sep="\n", flush=True)
        figures += found
        loads.append(load())
    print(f"load before and after each: {' | '.join(loads)}")
    if arguments.json is not None:
        try:
            arguments.json.write_bytes(as_json(figures, loads))
        except OSError as error:
            raise Stop(FAILED, as_told(f"{program}: {arguments.json}: {error.strerror}")) from error
    return ACCEPTED


def _say(line: str) -> None:
    """Progress; apart from the figures."""
    print(line, file=sys.stderr, flush=True)
