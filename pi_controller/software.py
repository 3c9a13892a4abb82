"""placeholder until the other branch is merged"""

from functools import cache

import msgspec


class Software(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    source: str


@cache
def own_software() -> Software:
    from pi_controller import __version__

    return Software(version=__version__, source="0" * 12)
