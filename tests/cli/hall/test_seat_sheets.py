"""The address on printed sheets: where the pages were last served, unless another one is given."""

from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.web.http import addresses
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.connections import Served, keep_served
from tests.cli.conftest import Run
from tests.paper import reading
from tests.protocol.fake_core import FakeCore, line

CODES = [{"board": "A1", "side": side, "code": f"code.{side}"} for side in ("sun", "moon")]
FINGERPRINT = ":".join(["0A"] * 32)


@pytest.fixture(autouse=True)
def _network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: "192.0.2.50")


@pytest.fixture
def seats(core: FakeCore) -> FakeCore:
    core.reply = lambda asked: [line({"id": asked["id"], "codes": CODES})]
    return core


def serve(state: Path, hall: PageAddress, staff: PageAddress | None = None, fingerprint: str = "") -> None:
    (state / "web").mkdir()
    keep_served(state / "web", Served(hall, staff or hall, fingerprint))


def text_of(path: Path) -> str:
    return " ".join(reading.pages(path.read_bytes()))


def test_seat_sheets_have_the_address_where_phones_claim(
    seats: FakeCore, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(state, PageAddress("0.0.0.0", 8080), PageAddress("0.0.0.0", 8443, secure=True), FINGERPRINT)
    assert main(["paper", "seats", "-o", str(state / "s.pdf")]) == 0
    assert "https://192.0.2.50:8443/phone" in text_of(state / "s.pdf")
    assert capsys.readouterr().err.startswith(
        "Address on paper: https://192.0.2.50:8443, where this controller last served its pages; "
        "--address gives another.\n"
    )


def test_the_sheet_says_how_long_a_code_lasts(seats: FakeCore, state: Path) -> None:
    serve(state, PageAddress("0.0.0.0", 8080))
    assert main(["paper", "seats", "-o", str(state / "s.pdf")]) == 0
    text = text_of(state / "s.pdf")
    assert "http://192.0.2.50:8080/phone" in text
    assert (
        "The code is valid until it is replaced. If it no longer works, ask the staff for a new sheet."
        in text
    )


def test_an_address_that_is_given_stands_and_nothing_is_said(
    seats: FakeCore, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(state, PageAddress("0.0.0.0", 8080))
    assert main(["paper", "seats", "--address", "http://clock.example", "-o", str(state / "s.pdf")]) == 0
    assert "http://clock.example/phone" in text_of(state / "s.pdf")
    assert "Address on paper" not in capsys.readouterr().err


@pytest.mark.parametrize("started", [False, True])
def test_without_an_address_for_phones_no_code_is_made(
    seats: FakeCore, state: Path, started: bool, run: Run
) -> None:
    if started:
        serve(state, PageAddress("127.0.0.1", 8080))
    said = run("paper", "seats", "--revoke", "A1", "-o", state / "s.pdf", status=3).err
    assert "Phones cannot open this controller's pages, or it has not been started yet" in said
    assert seats.asked("seat_codes") == []
    assert not (state / "s.pdf").exists()


def test_the_network_sheet_has_address_and_fingerprint_as_served(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(state, PageAddress("0.0.0.0", 8080), PageAddress("0.0.0.0", 8443, secure=True), FINGERPRINT)
    assert main(["paper", "network", "-o", str(state / "n.pdf")]) == 0
    text = text_of(state / "n.pdf")
    assert "http://192.0.2.50:8080" in text
    assert FINGERPRINT[:30] in text
    assert "Address on paper: http://192.0.2.50:8080" in capsys.readouterr().err


def test_a_damaged_note_is_none(state: Path) -> None:
    (state / "web").mkdir()
    (state / "web" / "served").write_text("{", encoding="ascii")
    assert main(["paper", "network", "-o", str(state / "n.pdf")]) == 0
    assert "192.0.2.50" not in text_of(state / "n.pdf")


@pytest.mark.parametrize(("more", "said"), [([], {"1 board"}), (["--revoke", "A1"], {"1 board", "board A1"})])
def test_what_was_printed_is_said(
    seats: FakeCore, state: Path, run: Run, more: list[str], said: set[str]
) -> None:
    given = ["paper", "seats", "--address", "http://clock.example", "-o", str(state / "s.pdf"), *more]
    told = run(*given).err
    assert {part for part in ("1 board", "board A1", "all boards") if part in told} == said
