"""A QR code is what its library says, module by module."""

import re

import segno

from pi_controller.web.api.links import qr_code


def test_the_path_draws_every_dark_module_once() -> None:
    text = "http://192.0.2.7:8080/login?token=abcdefghijklmnopqrstuvwxyz0123456789"
    code = qr_code(text)
    dark: list[tuple[int, int]] = []
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", code.path):
        dark += [(int(x) + step, int(y)) for step in range(int(length))]
    rows = list(segno.make_qr(text, error="m").matrix_iter(border=4))
    assert code.size == len(rows)
    wanted = [(x, y) for y, row in enumerate(rows) for x, module in enumerate(row) if module]
    assert sorted(dark) == sorted(wanted)
    assert len(dark) == len(set(dark))
