"""Plots for reports."""

from collections.abc import Sequence

from pi_controller.paper.picture import BAD, GREY, INK, Picture

LEFT_MM, RIGHT_MM, TOP_MM, BOTTOM_MM = 12.0, 18.0, 5.0, 9.0
MOST_LABELS = 24


def bars(
    values: Sequence[float],
    *,
    labels: Sequence[str],
    unit: str,
    limit: float | None = None,
    floor: float | None = None,
    width_mm: float = 170.0,
    height_mm: float = 45.0,
) -> Picture:
    """One bar a value, from 0 up; what is over `limit` or under `floor` is red; these are dashed lines.

    `values` and `labels` are of one length, values at least 0. Where labels would touch, every n-th is shown.
    """
    if len(values) != len(labels):
        raise ValueError(f"a bar plot needs a label for each value, not {len(labels)} for {len(values)}")
    if any(value < 0 for value in values):
        raise ValueError("a bar plot cannot show values below 0")
    picture = Picture(width_mm, height_mm)
    top = max([*values, limit or 0.0, floor or 0.0]) or 1.0
    right, ground = width_mm - RIGHT_MM, height_mm - BOTTOM_MM
    high = ground - TOP_MM
    step = (right - LEFT_MM) / max(len(values), 1)
    every = -(-len(values) // MOST_LABELS) if values else 1
    for index, (value, label) in enumerate(zip(values, labels, strict=True)):
        left, tall = LEFT_MM + index * step, high * value / top
        is_bad = (limit is not None and value > limit) or (floor is not None and value < floor)
        fill = BAD if is_bad else INK
        picture.rect((left + step * 0.12, ground - tall), (step * 0.76, tall), line_mm=0, fill=fill)
        if index % every == 0:
            room = step * every * 0.95
            picture.fitted_text(left + step / 2, ground + 4, label, width=room, size_pt=7, anchor="middle")
    picture.line((LEFT_MM, ground), (right, ground))
    picture.text(LEFT_MM - 1.5, ground, "0", size_pt=7, anchor="end", colour=GREY)
    picture.text(LEFT_MM - 1.5, TOP_MM + 2, f"{top:.4g}", size_pt=7, anchor="end", colour=GREY)
    picture.text(LEFT_MM, TOP_MM - 1.5, unit, size_pt=7, colour=GREY)
    for level in (limit, floor):
        if level is not None:
            _dashed(picture, ground - high * level / top, right=right, text=f"limit {level:g}")
    return picture


def _dashed(picture: Picture, y: float, *, right: float, text: str) -> None:
    x = LEFT_MM
    while x < right:
        picture.line((x, y), (min(x + 2, right), y), width_mm=0.25, colour=BAD)
        x += 3.5
    picture.text(right + 1.5, y + 0.8, text, size_pt=7, colour=BAD)
