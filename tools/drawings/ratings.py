"""No part of hardware/netlist.toml may carry more volts than it bears."""

from tools.drawings.netlist import Netlist, Wanted
from tools.drawings.nets import DrawingError

RATED = ("C", "D", "F", "Q", "U")
"""First letters of the parts that need a rating; resistors, coils and what people plug in need none."""
OTHERS = "others"


def bear(listed: Netlist) -> None:
    """Raises DrawingError with the first part that carries more than its rating, or that has none."""
    for name, board in listed.boards.items():
        unknown = sorted(board.volts.keys() - board.nets.keys() - {OTHERS})
        if unknown:
            raise DrawingError(
                f"netlist.toml: [{name}.volts] names {unknown[0]}, which is no net; mend its name."
            )
        if OTHERS not in board.volts:
            raise DrawingError(
                f'netlist.toml: [{name}.volts] needs "{OTHERS}" for nets that it does not name.'
            )
        for net, pins in board.nets.items():
            for pin in pins:
                _bears(name, board, listed.ratings, net, pin)


def _bears(name: str, board: Wanted, ratings: dict[str, float], net: str, pin: str) -> None:
    place, _, function = pin.partition(" ")
    ref = place.partition(".")[0]
    value = board.values.get(ref, "")
    volts = board.volts.get(net, board.volts[OTHERS])
    if not ref.startswith(RATED) or net.startswith("unused"):
        return
    rating = ratings.get(f"{value} {function}", ratings.get(value))
    if rating is None:
        raise DrawingError(
            f"netlist.toml: [ratings] has no volts for {value} ({ref} of the {name}); add them."
        )
    if volts > rating:
        raise DrawingError(
            f"{name}: {pin} ({value}) bears {rating:g} V, but {net} can carry {volts:g} V; "
            "fit a part for more."
        )
