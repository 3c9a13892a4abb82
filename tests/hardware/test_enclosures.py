"""Nothing in an enclosure shares space with anything else, and what is printed and drawn is that of the sources."""

import hashlib
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import pytest
from manifold3d import Manifold

from tools.boxes.bodies import Block, Bodies, BodyError, Rod
from tools.boxes.collisions import all_scenes, collisions, printed
from tools.boxes.scenes import ENCLOSURE, SHELLS, Frame, Lying, Scene
from tools.kicad_files import BOARDS, Footprint, board, file

PLACED = {name: board(file(name, "kicad_pcb")).placed for name in BOARDS}
FOOTPRINTS = {item.footprint.name: item.footprint for placed in PLACED.values() for item in placed.values()}


@pytest.fixture(scope="module")
def scenes() -> dict[str, Scene]:
    return all_scenes()


@pytest.fixture(scope="module")
def shells() -> dict[str, dict[str, Manifold]]:
    return {box: printed(box) for box in SHELLS}


def made_from(sums: Path) -> dict[str, str]:
    words = sums.read_text(encoding="utf-8").split()
    return dict(zip(words[1::2], words[::2], strict=True))


def test_what_is_printed_and_drawn_is_that_of_the_sources() -> None:
    now = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in ENCLOSURE.glob("*.scad")}
    assert made_from(ENCLOSURE / "drawn" / "sums.txt") == now, "run `make enclosures`"
    for box in SHELLS:
        made = made_from(ENCLOSURE / "printed" / f"{box}.sums")
        assert made == {name: now[name] for name in (f"{box}.scad", "sizes.scad")}, "run `make enclosures`"


@pytest.mark.parametrize("box", SHELLS)
def test_no_collisions(box: str, scenes: dict[str, Scene], shells: dict[str, dict[str, Manifold]]) -> None:
    assert [str(found) for found in collisions(scenes[box], shells[box])] == []


def test_the_claim_button_of_the_first_drawing_is_a_collision(
    scenes: dict[str, Scene], shells: dict[str, dict[str, Manifold]]
) -> None:
    """There the sides were 22 mm high and the button lay over the board: 29 mm behind the face it met the Pico."""
    scene = scenes["node"]
    at = Frame().move(scene.values["node_length"] - 128, 0, 22).turn("x", 45).move(102, 33.2, 0)
    button = Lying("old claim button", (Rod((0, 0, -29), (0, 0, 0), 29.4, "Red"),), at)
    board = tuple(lying for lying in scene.parts if "of Sun" not in lying.name)
    found = collisions(replace(scene, parts=(*board, button)), {})
    assert {"U1", "old claim button"} in [{one.one, one.other} for one in found]


def test_a_part_that_reaches_through_the_wall_is_a_collision(
    scenes: dict[str, Scene], shells: dict[str, dict[str, Manifold]]
) -> None:
    scene = scenes["pause_box"]
    inside = Lying("a brick", (Block((0, 0, 0), (200, 10, 10), "Red"),), scene.parts[-1].frame)
    found = collisions(replace(scene, parts=(inside,)), shells["pause_box"])
    assert [{one.one, one.other} for one in found] == [{"a brick", "box"}]
    assert str(found[0]).startswith("pause_box: a brick and box share ")


def test_every_footprint_has_a_body() -> None:
    bodies = Bodies()
    for footprint in FOOTPRINTS.values():
        assert bodies.mounted(footprint) or not footprint.bought, footprint.name


def test_a_footprint_without_a_body_is_named() -> None:
    with pytest.raises(BodyError, match=r'^Odd has no body; write \[footprint\."Odd"\] into bodies\.toml\.$'):
        Bodies().mounted(Footprint("Odd", (), (0, 0, 1, 1), (0, 0, 1, 1)))


def test_a_body_stays_in_its_outline() -> None:
    """The board's drawing keeps parts apart by their outlines, so no body may be wider: the wires of plugs may."""
    bodies = Bodies()
    for name, footprint in FOOTPRINTS.items():
        x1, y1, x2, y2 = footprint.courtyard
        for solid in bodies.mounted(footprint):
            if isinstance(solid, Block):
                assert solid.low[0] >= x1, name
                assert solid.high[0] <= x2, name
                assert solid.low[1] >= -y2, name
                assert solid.high[1] <= -y1 or name == "Pico", name


def test_printed_parts_stand_on_the_bed_of_a_usual_printer(shells: dict[str, dict[str, Manifold]]) -> None:
    """The largest bed that the page names is 256 mm in both directions."""
    for parts in shells.values():
        for solid in parts.values():
            x1, y1, _, x2, y2, z2 = solid.bounding_box()
            assert max(x2 - x1, y2 - y1) <= 256
            assert z2 <= 200


def test_the_jacks_look_out_of_their_openings(scenes: dict[str, Scene]) -> None:
    """A jack's body reaches from 3.2 mm left of its first contact to 12.1 mm right of it, and stands on its head."""
    middles = scenes["node"].values["node_jacks"]
    wide = board(file("node", "kicad_pcb")).wide
    bodies = [wide - PLACED["node"][ref].x + (12.1 - 3.2) / 2 for ref in ("J1", "J2")]
    assert middles == bodies


def test_files_of_the_printed_parts_are_small() -> None:
    """They lie in the repository: whoever prints needs no OpenSCAD."""
    sizes = {path.name: path.stat().st_size for path in (ENCLOSURE / "printed").glob("*.stl")}
    assert sizes.keys() == {f"{box}_{part}.stl" for box, parts in SHELLS.items() for part in parts}
    assert max(sizes.values()) < 700_000


def test_no_entry_is_for_nothing() -> None:
    """A footprint or plug that no board has, a part that lies in no box."""
    entries = Bodies().entries
    for kind in ("footprint", "plug"):
        dead = [name for name in entries[kind] if not any(fnmatch(known, name) for known in FOOTPRINTS)]
        assert dead == [], kind
    scenes_source = (ENCLOSURE.parents[1] / "tools" / "boxes" / "scenes.py").read_text(encoding="utf-8")
    assert [name for name in entries["part"] if f'"{name}"' not in scenes_source] == []


def test_what_counts_as_verified_names_what_was_read() -> None:
    bodies = Bodies()
    for entries in bodies.entries.values():
        for name, entry in entries.items():
            assert not (entry.verified and entry.source.startswith("usual")), name


def test_the_fuse_holder_fits_its_holes() -> None:
    """Schurter's OGN 0031.8201: pins 22.5 mm apart, a peg of 2.7 mm between them."""
    holders = [item.footprint for item in PLACED["panel"].values() if item.footprint.name == "Fuse_5x20"]
    assert len(holders) == 5
    for holder in holders:
        peg, first, second = sorted(holder.pads, key=lambda pad: pad.number)
        assert (second.x - first.x, peg.x - first.x) == (22.5, 11.25)
        assert (peg.number, peg.drill) == ("", 2.7)
