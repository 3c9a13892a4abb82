"""Wrong usage of any command: status 2, one sentence on stderr, nothing on stdout, and nothing is asked of core."""

import os
import shlex
import subprocess
import sys

import pytest

from pi_controller.selftest.catalogue import CHECKS
from tests.cli.conftest import Run
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import FakeCore

UID = "0000000000000001"
ONE_ROW = "power-budget --rows 1 --boards 2"
WRONG = [
    # what argparse says, by one command each
    ("", "pi-controller: a command is missing; `pi-controller --help` lists them\n"),
    ("fly", "pi-controller: 'fly' is not a command; `pi-controller --help` lists them\n"),
    ("settings", "pi-controller settings: the following arguments are required: TASK;"),
    ("add-time", "pi-controller add-time: the following arguments are required: MS; `pi-controller add-time"),
    ("start now", "pi-controller start: unrecognized arguments: now"),
    ("table kick", "invalid choice: 'kick'"),
    (f"table order {UID} dance", "invalid choice: 'dance'"),
    ("replay g1 --languages xx", "invalid choice: 'xx'"),
    ("replay g1 --lamps --tables", "not allowed with argument"),
    ("links settle", "one of the arguments --lead --give-way is required"),
    ("links settle --lead --give-way", "not allowed with argument"),
    ("completion fish", "argument shell: invalid choice: 'fish'"),
    ("paper labels --rows 1 --boards 3", "the following arguments are required: -o/--output"),
    ("paper labels --rows 1 --boards 3 --labels 1x1 -o x.pdf", "invalid choice: '1x1'"),
    # what is started
    ("run --hardware pi --speed 2", "--speed is for simulated hardware only: leave it out, or say"),
    ("core --hardware none --speed 2", "--speed is for simulated hardware only"),
    ("run --hardware pi --seed-hex " + "0" * 64, "--seed-hex is for simulated hardware only"),
    ("run --hardware pi --nodes 40", "is for simulated hardware only: leave it out, or say --hardware"),
    ("core --hardware pi --virtual-tables 40", "is for simulated hardware only: leave it out, or say"),
    *((f"run --nodes {count}", f"'{count}' is not a number of tables from 1 to 256") for count in (0, 257)),
    ("core --virtual-tables 257", "'257' is not a number of tables from 1 to 256"),
    *(
        (f"{name} --seed-hex 12", "argument --seed-hex: '12' is not 64 hex digits")
        for name in ("run", "core")
    ),
    ("run --players 7", "argument --players: invalid choice: 7 (choose from 3, 4, 5, 6)"),
    ("run --rule-set chess", "argument --rule-set: invalid choice: 'chess' (choose from "),
    ("run --speed 1e9", "argument --speed: '1e9' is not above 0 and at most 1000"),
    ("run --hardware both", "argument --hardware: invalid choice: 'both'"),
    *(
        (f"{name} --nodes=2 --parts-seed=-1", "argument --parts-seed: '-1' is not a whole number from 0 up")
        for name in ("run", "virtual-tables")
    ),
    *(
        (f"{name} --state-dir /{'x' * 120}", "the system allows 107: choose a shorter --state-dir")
        for name in ("run", "core", "start")
    ),
    # kinds of values
    ("add-time x", "argument MS: 'x' is not a whole number"),
    ("add-time " + "9" * 5000, "is not a whole number"),
    ("voice mute soon", "'soon' is not a whole number"),
    ("say x --seconds soon", "argument --seconds: 'soon' is not a number"),
    ("say x --seconds inf", "argument --seconds: 'inf' is not a finite number"),
    ("selftest --node A1", "'A1' is not a node's unique id (16 digits 0-9, a-f)"),
    ("run --port 99999", "argument --port: '99999' is not a port from 0 to 65535;"),
    *((f"replay g1 --speed={speed}", "argument --speed:") for speed in ("0", "-1", "nan", "fast", "1001")),
    *((f"fallback -o x.pdf --rolls={rolls}", "argument --rolls:") for rolls in ("-1", "301", "many")),
    # the game
    ("add-time 4000000", "add_time: ms must be from -3600000 to 3600000, not 4000000"),
    ("set-schedule 1:35,x", "the schedule '1:35,x' is not understood at 'x': write ROUND:SECONDS"),
    ("set-schedule 1:nan", "set_schedule: A number is not finite"),
    ("set-schedule 2:35", "set_schedule: A schedule must begin with from_round 1"),
    ("set-claims never", 'set_claims: `mode` must be "ask" or "pause", not "never"'),
    ("arm --first-side left", 'arm: `first_side` must be "blue", "brown", "drawn", "green",'),
    ("claim 12", "a claim at a board needs its side too: BOARD sun, or BOARD moon"),
    ("claim 12 left", 'claim: `side` must be "blue", "brown", "green", "moon",'),
    ("verdict c1 /no/sheet.json", "/no/sheet.json: No such file or directory; the verdict is confirmed"),
    ("close", "closing the game takes two steps: say `pi-controller close --confirm`"),
    ("end", "ending the game takes two steps: say `pi-controller end --confirm`"),
    ("say \udcff", 'say: "\\udcff" contains half of a surrogate pair'),
    ("timer Break", "a timer takes LABEL and SECONDS, or --stop alone"),
    ("timer Break 5 --stop", "a timer takes LABEL and SECONDS, or --stop alone"),
    ("identify", "one of the arguments --screen --board is required"),
    ("undo --replace skip {} {}", "--replace takes a command's name and at most one JSON body"),
    ("undo --replace skip {", "This is not JSON: Expecting property name"),
    ("undo --replace undo", "undo: `replace.name`: undo cannot stand in for another command"),
    # tables and the roster
    ("table identify --seconds 900", "--seconds must be from 1 to 255, not 900"),
    (f"tables calibrate {UID}", "one of the arguments V --remove is required"),
    (f"tables calibrate {UID} 24 --remove", "argument --remove: not allowed with argument V"),
    ("roster import nowhere.toml", "nowhere.toml cannot be read (No such file or directory)"),
    ("roster new --rows two", "--rows 'two' is not understood: write ROWSxBOARDS, such as 2x20"),
    ("roster new --rows 30x20", "30 rows of 20 boards cannot be made: 1 to 26 rows"),
    # a hall on paper
    ("power-budget --rows 2", "Give --rows and --boards together, or --roster F, or none of them."),
    (f"{ONE_ROW} --roster x", "Give --rows and --boards together"),
    (f"{ONE_ROW} --gauge 30", "There is no cable of size '30' here"),
    (f"{ONE_ROW} --volts 230", "The voltage is 230 V; it must lie between 3 and 60 V."),
    (f"{ONE_ROW} --zone 5", "--zone needs --feed end or --feed middle"),
    (f"{ONE_ROW} --feed end --zone 0", "A zone cannot have 0 boards"),
    ("paper map --rows 1 --boards 3 --hop 0 -o x.pdf", "The distance from table to table is 0 m"),
    # firmware, self-test, benchmarks
    ("firmware install --count 3", "--count N, from 1 on, goes with --batch"),
    ("firmware install --batch --count 0", "--count N, from 1 on, goes with --batch"),
    ("firmware install --page 8090", "--page PORT, 0 to 65535, goes with --batch"),
    ("firmware install --batch --page 70000", "--page PORT, 0 to 65535, goes with --batch"),
    ("firmware install --batch --port /dev/a", "--batch looks for ports itself; leave --port out"),
    ("selftest --only LMP XYZ", f"'XYZ' is not a check; the checks are {', '.join(CHECKS)}"),
    ("selftest --json /nowhere/r.json", "/nowhere is not a folder: create it first"),
    ("selftest --json /", "/ cannot be written; name another file"),
    (
        "bench speed",
        "bench: 'speed' is no benchmark; the benchmarks are press, clock, start, journal, feed, tables\n",
    ),
    (
        "bench press hobby",
        "'hobby' needs a checkout of the sources: run `python -m benchmarks hobby` in its folder\n",
    ),
    (
        "bench press.many",
        "'press.many' needs a checkout of the sources: run `python -m benchmarks press.many`",
    ),
    ("bench --minutes 0", "pi-controller bench: --minutes is 0; it must be above 0 and at most 1440\n"),
    ("bench --folder nowhere", "pi-controller bench: nowhere is no folder; make it first\n"),
    ("bench --json nowhere/f", "pi-controller bench: nowhere is no folder; make it first\n"),
]


@pytest.mark.parametrize(("typed", "sentence"), WRONG)
def test_it_is_one_sentence_and_nothing_is_sent(core: FakeCore, run: Run, typed: str, sentence: str) -> None:
    said = run(*shlex.split(typed), status=2)
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert core.requests == []


@pytest.mark.parametrize("name", ["fly", "settings"])
def test_the_real_program_says_it_too(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pi_controller", name],
        capture_output=True, text=True, timeout=DEADLINE_S, env=os.environ, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
