"""`pi-controller links`: what is made here lets somebody in, what is revoked here does not."""

from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.web.http.access import Tokens, machine_clocks
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.connections import Served, keep_served


def test_a_link_is_made_listed_used_and_revoked(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "list"]) == 0
    assert "There is no link" in capsys.readouterr().out
    assert main(["links", "make", "judge", "Anna"]) == 0
    number, address = capsys.readouterr().out.splitlines()[0].split()
    assert address.startswith("http://127.0.0.1:8080/login?token=")
    web = Tokens(state / "web", machine_clocks())
    person, cookie = web.redeem(address.partition("=")[2]) or pytest.fail("the link is good")
    assert (person.role, person.name, person.link) == ("judge", "Anna", number)
    assert main(["links", "list"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.split()[:3] == [number, "judge", "Anna"]
    assert "in use" in line
    assert main(["links", "revoke", number]) == 0
    web.look()
    assert web.links.device(cookie) is None
    assert main(["links", "revoke", number]) == 3


def test_a_role_or_name_that_cannot_be_is_bad_usage(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["links", "make", "king"]) == 2
    assert main(["links", "make", "judge", "x" * 41]) == 2
    assert "at most 40 characters" in capsys.readouterr().err
    assert Tokens(state / "web", machine_clocks()).links.all() == ()


def test_a_link_leads_to_the_staffs_address(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text("[web]\nstaff_port = 8443\n", encoding="utf-8")
    assert main(["links", "make", "judge", "--settings", str(settings)]) == 0
    assert capsys.readouterr().out.split()[1].startswith("http://127.0.0.1:8443/login?token=")


def test_a_link_leads_where_the_pages_were_last_served_and_says_how_long_it_lasts(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Tokens(state / "web", machine_clocks())
    here = PageAddress("127.0.0.1", 9000)
    keep_served(state / "web", Served(here, here, ""))
    assert main(["links", "make", "judge"]) == 0
    made, lasts = capsys.readouterr().out.splitlines()
    assert made.split()[1].startswith("http://127.0.0.1:9000/login?token=")
    assert lasts == (
        "It works once, within 12 hours; the log-in then lasts 16 hours. "
        "Once it is used up or too old, `pi-controller links make` prints another."
    )
