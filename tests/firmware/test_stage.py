"""Which side is drawn when, and when a picture is given up for a newer one."""

from table_node.layout_full import PART
from table_node.stage import Stage
from table_node.view import View
from tests.firmware.hand_board import HandBoard


class Display:
    ok = True

    def __init__(self, log: list[str], name: str) -> None:
        self.log, self.name = log, name

    def flush(self, _budget_us: int) -> bool:
        self.log.append(f"show {self.name}")
        return True

    def power(self, _on: bool) -> None:
        pass

    def contrast(self, _level: int) -> None:
        pass


class SteppedFace:
    """First its part, then a step, then all of it."""

    def __init__(self, log: list[str], name: str) -> None:
        self.display, self.log, self.name = Display(log, name), log, name
        self.said = [PART, False, True]

    def draw(self, _view: View) -> object:
        self.log.append(f"draw {self.name}")
        return self.said.pop(0)


def drawing() -> tuple[Stage, HandBoard, list[str]]:
    board, log = HandBoard(), []
    stage = Stage(board, [SteppedFace(log, "a"), SteppedFace(log, "b")])
    stage.looked(board.ticks_us(), 1_000_000)
    return stage, board, log


def test_both_sides_show_their_first_part_before_the_rest_of_either() -> None:
    stage, board, log = drawing()
    while not stage.is_drawn():
        stage.draw([View(), View()], board.ticks_us())
    assert log[:4] == ["draw a", "show a", "draw b", "show b"]
    assert log[4:] == ["draw a", "draw a", "show a", "draw b", "draw b", "show b"]


def test_another_picture_is_begun_at_once() -> None:
    stage, board, _ = drawing()
    stage.draw([View(), View()], board.ticks_us())
    stage.hurry()
    assert not stage.time_to_look(board.ticks_us())
    stage.start_over(board.ticks_us())
    assert stage.time_to_look(board.ticks_us())


def test_news_without_end_lets_a_picture_be_finished_in_time() -> None:
    stage, board, _ = drawing()
    board.now_us += 300_000
    stage.draw([View(), View()], board.ticks_us())
    stage.start_over(board.ticks_us())
    assert not stage.is_drawn()
