"""Which of the hall's languages stands: the same on every table and screen, whenever switched on."""

from collections.abc import Sequence

from pi_controller.vocabulary import Phase


def language_in_turn(phase: Phase, number: int, languages: Sequence[str]) -> str:
    """The one of the hall's languages that stands in this phase of round `number`.

    They change with every second round, so that each of two sides, which take turns by round, is called in
    both. A robber phase is in the language of the round that follows; nothing changes in the middle of a
    phase. Everybody else takes it from the picture.
    """
    coming = number + 1 if phase == "robber" else number
    return languages[coming // 2 % len(languages)]
