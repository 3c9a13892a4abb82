"""Colours of the event that nobody could read are refused, and so is a logo that is more than a picture."""

import re
import struct
import zlib
from pathlib import Path

import pytest

import pi_controller.web
from pi_controller.language.words import words
from pi_controller.settings import SettingsFault, load
from pi_controller.settings.event import (
    GROUND,
    LARGEST_LOGO,
    LEAST_CONTRAST,
    LogoFault,
    colours_problem,
    contrast,
    read_logo,
)

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'


def png(width: int, height: int) -> bytes:
    """A PNG by its signature and first chunk; nobody unpacks the rest."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


def test_the_ground_is_that_of_the_pages() -> None:
    sheet = (Path(pi_controller.web.__file__).parent / "pages" / "lib" / "base.css").read_text(
        encoding="utf-8"
    )
    assert re.findall(r"--plate: (\S+);", sheet) == [GROUND]


@pytest.mark.parametrize("colours", [(), ("#ffc94d", "#a9b9ff"), ("#FFFFFF", "#9e9e9e")])
def test_colours_that_can_be_read_are_taken(colours: tuple[str, ...]) -> None:
    assert colours_problem(colours) is None
    assert all(contrast(colour, GROUND) >= LEAST_CONTRAST for colour in colours)


@pytest.mark.parametrize("colours", [("#ffc94d",), ("#ffc94d", "red"), ("#fff", "#fff"), ("#ffffff",) * 3])
def test_other_than_two_colours_are_none(colours: tuple[str, ...]) -> None:
    assert colours_problem(colours) is not None


def test_a_colour_that_is_too_dark_is_refused_with_its_contrast(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[event]\ncolours = ["#ffffff", "#3450dd"]')
    with pytest.raises(SettingsFault) as fault:
        load(file)
    assert words(fault.value.problems[0]) == (
        '[event] colours = ["#ffffff", "#3450dd"]: #3450dd has a contrast of 3.0:1 against the dark background #0b0e14,'
        " and needs 7:1 to be readable from the back row; choose a lighter colour."
    )


@pytest.mark.parametrize("section", ["hall", "event"])
def test_a_name_holds_no_picture_that_paper_lacks(tmp_path: Path, section: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'[{section}]\nname = "Games ★ Łódź 🎲"', encoding="utf-8")
    with pytest.raises(SettingsFault) as fault:
        load(file)
    assert "🎲 is a small picture" in words(fault.value.problems[0])
    file.write_text(f'[{section}]\nname = "Games ★ Łódź"', encoding="utf-8")
    assert load(file)


@pytest.mark.parametrize("path", ["logo.png", "/srv/logo.gif", "/srv/logo", "/srv/lo\ngo.png"])
def test_a_logo_needs_a_full_path_of_a_picture(tmp_path: Path, path: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f"[event]\nlogo = {path!r}".replace("'", '"'))
    with pytest.raises(SettingsFault):
        load(file)


@pytest.mark.parametrize(
    "drawing",
    [
        '<title>x</title><g fill="url(#a)"><path d="M0 0h9v9z"/></g>',
        '<defs><path id="p" d="M0 0h9"/></defs><use href="#p"/><!-- a comment -->',
        '<style>.a { fill: url("#b") }</style><rect class="a" width="9" height="9"/>',
        '<i:grid xmlns:i="http://www.inkscape.org/namespaces/inkscape" units="mm"/>',
    ],
)
def test_a_drawing_is_taken(tmp_path: Path, drawing: str) -> None:
    file = tmp_path / "logo.SVG"
    file.write_text(SVG.format(drawing))
    logo = read_logo(str(file))
    assert logo is not None
    assert (logo.suffix, logo.body) == (".svg", file.read_bytes())


@pytest.mark.parametrize(
    "drawing",
    [
        "<script>alert(1)</script>",
        '<rect onload="alert(1)"/>',
        '<rect OnLoad="alert(1)"/>',
        '<a href="#x"><rect/></a>',
        '<use href="http://192.0.2.7/x.svg#a"/>',
        '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="data:text/html,x"/>',
        '<image href="#a"/>',
        "<foreignObject><p/></foreignObject>",
        '<rect fill="url(http://192.0.2.7/x)"/>',
        "<rect style=\"fill: url( '//192.0.2.7/x')\"/>",
        "<style>@import 'x.css';</style>",
        '<animate attributeName="href" to="javascript:alert(1)"/>',
    ],
)
def test_a_drawing_that_does_more_is_refused(tmp_path: Path, drawing: str) -> None:
    file = tmp_path / "logo.svg"
    file.write_text(SVG.format(drawing))
    with pytest.raises(LogoFault) as fault:
        read_logo(str(file))
    assert fault.value.sentence.key == "event.logo_unsafe"


@pytest.mark.parametrize(
    ("name", "body", "key"),
    [
        ("logo.svg", b'<!DOCTYPE svg [<!ENTITY a "x">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>', "unsafe"),
        ("logo.svg", b"<svg", "no_picture"),
        ("logo.svg", b"<html/>", "no_picture"),
        ("logo.svg", png(9, 9), "unsafe"),
        ("logo.png", SVG.format("").encode(), "no_picture"),
        ("logo.png", png(0, 9), "too_many_pixels"),
        ("logo.png", png(9, 4097), "too_many_pixels"),
        ("logo.png", png(9, 9) + bytes(LARGEST_LOGO), "too_large"),
    ],
)  # fmt: skip
def test_what_is_no_fitting_picture_is_refused(tmp_path: Path, name: str, body: bytes, key: str) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(LogoFault) as fault:
        read_logo(str(tmp_path / name))
    assert fault.value.sentence.key == f"event.logo_{key}"


def test_a_logo_that_is_not_there_says_why(tmp_path: Path) -> None:
    with pytest.raises(LogoFault) as fault:
        read_logo(str(tmp_path / "logo.png"))
    assert "no such file" in str(fault.value).lower()
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(LogoFault):
        read_logo(str(tmp_path / "folder.png"))
    assert read_logo("") is None
