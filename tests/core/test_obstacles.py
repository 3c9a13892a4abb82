"""What stands against a start, with and without insisting."""

from pi_controller.core.obstacles import Obstacles


def test_sentences_come_and_go_by_part() -> None:
    obstacles = Obstacles()
    assert obstacles.against_start(override=False) == ()
    obstacles.set("supply", "Too low.")
    obstacles.set("heat", "Too hot.")
    obstacles.set("supply", "Still too low.")
    assert obstacles.against_start(override=False) == ("Still too low.", "Too hot.")
    obstacles.set("supply", None)
    obstacles.set("disk", None)
    assert obstacles.against_start(override=False) == ("Too hot.",)


def test_who_insists_hears_of_the_absolute_ones_only() -> None:
    obstacles = Obstacles()
    obstacles.set("heat", "Too hot.")
    obstacles.set("test", "A test runs.", absolute=True)
    assert obstacles.against_start(override=True) == ("A test runs.",)
    assert obstacles.against_start(override=False) == ("Too hot.", "A test runs.")
