"""From which addresses somebody asks who is logged in: they find a place when the others are taken."""

from collections.abc import Callable
from typing import Generic, TypeVar

MOST_KEPT = 256

CredentialT = TypeVar("CredentialT")


class KnownAddresses(Generic[CredentialT]):
    """`is_good` says whether a credential still lets its holder in."""

    def __init__(self, is_good: Callable[[CredentialT], bool]) -> None:
        self._is_good = is_good
        self._shown: dict[str, CredentialT] = {}

    def note(self, address: str, credential: CredentialT) -> None:
        """This good credential was shown from this address."""
        self._shown.pop(address, None)
        self._shown[address] = credential
        while len(self._shown) > MOST_KEPT:
            del self._shown[next(iter(self._shown))]

    def has(self, address: str) -> bool:
        credential = self._shown.get(address)
        return credential is not None and self._is_good(credential)
