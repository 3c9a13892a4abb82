from typing import Any

from pi_controller.hal.system.facts import process_figures


def test_a_process_uses_more_as_it_works() -> None:
    def used() -> tuple[Any, Any]:
        figures: dict[str, Any] = process_figures("core")
        return tuple(
            figures[name]['process="core"'] for name in ("processor_seconds_total", "resident_memory_bytes")
        )

    seconds, memory = used()
    held = bytes(range(256)) * (1 << 16)
    assert sum(held) > 0
    later, more = used()
    assert later > seconds
    assert more >= memory + len(held) // 2
