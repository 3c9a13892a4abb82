"""A clock that is moved by hand."""


class HandClock:
    boot_id = "00000000-0000-4000-8000-000000000000"

    def __init__(self, now_ns: int = 1_000_000_000_000) -> None:
        self.now_ns = now_ns

    def boot_ns(self) -> int:
        return self.now_ns

    def wall(self) -> str:
        return "2026-11-20T18:00:00.000Z"
