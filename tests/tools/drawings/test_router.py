"""Tracks keep their distance, change sides where they must, and a net without a way is named."""

from math import hypot

import pytest

from tools.drawings.router import CLEARANCE, Grid, NoWayError, Shape


def pad(net: str, x: float, y: float, *, layers: tuple[int, ...] = (0,)) -> Shape:
    return Shape(net, x - 0.5, y - 0.5, x + 0.5, y + 0.5, layers)


def wall(net: str, x: float, *, layers: tuple[int, ...]) -> Shape:
    return Shape(net, x - 0.2, 0, x + 0.2, 20, layers)


def test_two_pads_in_line_get_one_track() -> None:
    grid = Grid(20, 20, [pad("A", 5, 10), pad("A", 15, 10)])
    grid.route("A", grid.shapes, 0.25)
    assert [(track.start, track.end, track.layer) for track in grid.tracks] == [((5, 10), (15, 10), 0)]
    assert grid.vias == []


def test_a_wall_on_the_front_is_passed_on_the_back() -> None:
    pads = [pad("A", 5, 10), pad("A", 15, 10)]
    grid = Grid(20, 20, [*pads, wall("B", 10, layers=(0,))])
    grid.route("A", pads, 0.25)
    assert len(grid.vias) == 2
    assert {track.layer for track in grid.tracks} == {0, 1}


def test_a_wall_on_both_sides_has_no_way() -> None:
    pads = [pad("A", 5, 10), pad("A", 15, 10)]
    grid = Grid(20, 20, [*pads, wall("B", 10, layers=(0, 1))])
    with pytest.raises(
        NoWayError, match=r"^A finds no way to 14\.5, 9\.5: move parts apart, or route it earlier\.$"
    ):
        grid.route("A", pads, 0.25)


def test_tracks_of_two_nets_keep_their_distance() -> None:
    """Crossing nets on pads that reach both sides."""
    both = (0, 1)
    one = [pad("A", 4, 10, layers=both), pad("A", 16, 10, layers=both)]
    other = [pad("B", 10, 4, layers=both), pad("B", 10, 16, layers=both)]
    grid = Grid(20, 20, [*one, *other])
    grid.route("A", one, 0.25)
    grid.route("B", other, 0.25)
    for a in (track for track in grid.tracks if track.net == "A"):
        for b in (track for track in grid.tracks if track.net == "B" and track.layer == a.layer):
            assert (
                min(hypot(p[0] - q[0], p[1] - q[1]) for p in along(a) for q in along(b))
                > 0.25 + CLEARANCE - 0.05
            )


def along(track: object) -> list[tuple[float, float]]:
    (x1, y1), (x2, y2) = track.start, track.end  # type: ignore[attr-defined]
    return [(x1 + (x2 - x1) * step / 50, y1 + (y2 - y1) * step / 50) for step in range(51)]
