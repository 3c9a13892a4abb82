"""`pi-controller links`: what is made here lets somebody in, what is revoked here does not."""

from pathlib import Path

import pytest

from pi_controller.web.http.access import Tokens, machine_clocks
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.connections import Served, keep_served
from tests.cli.conftest import Run


def test_a_link_is_made_listed_used_and_revoked(state: Path, run: Run) -> None:
    assert "There are no links" in run("links", "list").out
    number, address = run("links", "make", "judge", "Anna").out.splitlines()[0].split()
    assert address.startswith("http://127.0.0.1:8080/login?token=")
    web = Tokens(state / "web", machine_clocks())
    link, cookie = web.links.enter(address.partition("=")[2]) or pytest.fail("the link is good")
    assert (link.role, link.name, link.id) == ("judge", "Anna", number)
    line = run("links", "list").out.splitlines()[1]
    assert line.split()[:3] == [number, "judge", "Anna"]
    assert "in use" in line
    run("links", "revoke", number)
    web.look()
    assert web.links.device(cookie) is None
    run("links", "revoke", number, status=3)


def test_a_role_or_name_that_cannot_be_is_bad_usage(state: Path, run: Run) -> None:
    run("links", "make", "king", status=2)
    assert "at most 40 characters" in run("links", "make", "judge", "x" * 41, status=2).err
    assert Tokens(state / "web", machine_clocks()).links.all() == ()


def test_a_link_leads_to_the_staffs_address(state: Path, tmp_path: Path, run: Run) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text("[web]\nstaff_port = 8443\n", encoding="utf-8")
    assert (
        run("links", "make", "judge", "--settings", settings)
        .out.split()[1]
        .startswith("http://127.0.0.1:8443/login?token=")
    )


def test_a_link_leads_where_the_pages_were_last_served_and_says_how_long_it_lasts(
    state: Path, run: Run
) -> None:
    Tokens(state / "web", machine_clocks())
    here = PageAddress("127.0.0.1", 9000)
    keep_served(state / "web", Served(here, here, ""))
    made, lasts = run("links", "make", "judge").out.splitlines()
    assert made.split()[1].startswith("http://127.0.0.1:9000/login?token=")
    assert lasts == (
        "It works once, within 12 hours; the log-in then lasts 16 hours. "
        "When it is used or expired, `pi-controller links make` prints another."
    )
