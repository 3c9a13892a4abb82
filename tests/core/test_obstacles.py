"""What stands against a start."""

from pi_controller.core.obstacles import Obstacles


def test_sentences_come_and_go_by_part() -> None:
    obstacles = Obstacles()
    assert obstacles.against_start() == ()
    obstacles.set("supply", "Too low.")
    obstacles.set("heat", "Too hot.")
    obstacles.set("supply", "Still too low.")
    assert obstacles.against_start() == ("Still too low.", "Too hot.")
    obstacles.set("supply", None)
    obstacles.set("disk", None)
    assert obstacles.against_start() == ("Too hot.",)
