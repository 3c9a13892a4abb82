"""Names of whole numbers, as the Pico's compiler is given them."""

from pathlib import Path

import pytest

from pi_controller.flashing.build import build, sources, with_constants


@pytest.mark.parametrize(
    ("source", "compiled"),
    [
        ("_MOST = 5\n", "_MOST = const(5)\n"),
        ("MOST = 0x10  # of all\n", "MOST = const(0x10)  # of all\n"),
        ("_A = 3\n_B = -(_A + 1) << 4\n", "_A = const(3)\n_B = const(-(_A + 1) << 4)\n"),
        ("_A = (\n    3 +\n    4\n)\n", "_A = (\n    const(3 +\n    4)\n)\n"),
        ("'ä'; _A = 1\n", "'ä'; _A = const(1)\n"),
    ],
)
def test_a_whole_number_becomes_a_constant(source: str, compiled: str) -> None:
    assert with_constants(source) == compiled


@pytest.mark.parametrize(
    "source",
    [
        "_A = 1.5\n",
        "_A = 4 / 2\n",
        "_A = True\n",
        "_A = 'b'\n",
        "_A = B\n",
        "_A = 1, 2\n",
        "a = 1\n",
        "def f():\n    A = 1\n",
        "_A = 1\n_A = 2\n",
        "_A = 1\nfor _A in ():\n    pass\n",
        "_A = _B = 1\n",
    ],
)
def test_what_is_none_or_changes_stays_as_it_is(source: str) -> None:
    assert with_constants(source) == source


def test_the_firmware_is_compiled_without_its_private_names_and_without_names_of_files(
    tmp_path: Path,
) -> None:
    """The Pico would keep them all, in tables that double when they are full: 9 kB of its heap."""
    build(tmp_path)
    compiled = {
        source.stem: (tmp_path / f"table_node/{source.stem}.mpy").read_bytes() for source in sources()
    }
    assert b"_TIDY_US" not in compiled["main"]
    assert b"TOO_LATE_US" in compiled["line"]
    assert not any(b".py" in code for code in compiled.values())
