"""QR codes as a page draws them: one path of an SVG, so that no mark-up travels."""

import itertools

import msgspec
import segno


class QrCode(msgspec.Struct, frozen=True):
    """Dark modules as the `d` of an SVG path in a square of `size` by `size`, quiet zone included."""

    size: int
    path: str


def qr_code(text: str) -> QrCode:
    """For a camera at arm's length: a quarter of it may be damaged at most (error correction M or better)."""
    code = segno.make_qr(text, error="m")
    rows = list(code.matrix_iter(border=4))
    runs: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        for dark, group in itertools.groupby(row):
            length = len(list(group))
            if dark:
                runs.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return QrCode(len(rows), "".join(runs))
