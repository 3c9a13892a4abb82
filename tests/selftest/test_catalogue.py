"""The list of checks, what runs behind it, and the page that describes it."""

import re
from typing import get_args

from pi_controller.selftest.catalogue import CHECKS, codes_of
from pi_controller.selftest.verdicts import Code
from tests.architecture.sources import ROOT

LETTERS = {"boot": "B", "field": "F", "bench": "N"}


def test_every_code_has_its_check_and_its_entry() -> None:
    assert tuple(CHECKS) == get_args(Code)


def test_what_a_check_rests_on_has_run_before_it() -> None:
    order = list(CHECKS)
    assert [
        (code, earlier)
        for code, check in CHECKS.items()
        for earlier in check.rests_on
        if order.index(earlier) >= order.index(code)
    ] == []


def test_the_page_describes_each_check_with_its_levels() -> None:
    page = (ROOT / "docs" / "selftest.md").read_text()
    told = dict(re.findall(r"^\| ([A-Z]{3}) \| ([BFN ]+) \|", page, re.MULTILINE))
    assert told == {
        code: " ".join(LETTERS[level] for level in check.levels) for code, check in CHECKS.items()
    }


def test_the_boot_level_asks_nobody_and_is_quick() -> None:
    assert sum(CHECKS[code].expected_s("boot", 100) for code in codes_of("boot")) < 4
    assert not {"LMP", "HRN", "CLM", "BER"} & set(codes_of("boot"))


def test_expected_times_grow_with_the_hall() -> None:
    field = [
        sum(CHECKS[code].expected_s("field", boards) for code in codes_of("field")) for boards in (0, 40)
    ]
    assert field[0] < field[1] < 90
    assert CHECKS["BER"].expected_s("bench", 1) == 40.0
