"""Which of the hall's languages stands: the same on every table and screen, whenever switched on."""

from collections.abc import Sequence

from pi_controller.vocabulary import Phase


def language_in_turn(phase: Phase, number: int, languages: Sequence[str]) -> int:
    """The place among the languages of the one that stands in this phase of round `number`.

    They change with every second round, so that each of two sides, which take turns by round, is called in
    both. A robber phase is in the language of the round that follows; nothing changes in the middle of a
    phase. The hall screen reckons in the same way (`web/pages/hall/turn.js`).
    """
    coming = number + 1 if phase == "robber" else number
    return coming // 2 % len(languages)
