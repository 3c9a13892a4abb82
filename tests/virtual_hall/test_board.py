from pi_controller.virtual_hall.board import MINUTE_US, SOFT, TICKS, WATCHDOG, VirtualBoard


def board_of(ppm: float = 0) -> tuple[VirtualBoard, list[tuple[bytes, int]], list[int]]:
    said: list[tuple[bytes, int]] = []
    rates: list[int] = []

    def say(data: bytes, at_us: int) -> int:
        said.append((data, at_us))
        return at_us + 40 * len(data)

    return VirtualBoard(uid=bytes(8), ppm=ppm, say=say, tune=rates.append), said, rates


def test_ticks_wrap_and_run_at_the_rate_of_the_crystal() -> None:
    board, _, _ = board_of(ppm=50)
    board.now_us = 1_000_000_000
    assert board.ticks_us() == 1_000_050_000
    before = board.ticks_us()
    board.now_us += 100_000_000
    assert board.ticks_us() < before
    assert board.ticks_diff(board.ticks_us(), before) == 100_005_000
    assert board.ticks_diff(before, board.ticks_us()) == -100_005_000
    assert board.ticks_add(TICKS - 1, 2) == 1


def test_bytes_are_read_in_order_and_lost_at_a_reset() -> None:
    board, _, _ = board_of()
    board.incoming += b"abcde"
    buffer = bytearray(3)
    assert (board.read(buffer), bytes(buffer)) == (3, b"abc")
    assert (board.read(buffer), bytes(buffer)) == (2, b"dec")
    assert board.read(buffer) == 0
    board.incoming += b"x"
    board.start(SOFT, 5)
    assert board.read(buffer) == 0


def test_sending_takes_its_time() -> None:
    board, said, rates = board_of()
    board.now_us = 100
    board.send(bytearray(b"abcdef"), 4)
    assert said == [(b"abcd", 100)]
    assert board.now_us == 260
    board.set_baud(115_200)
    assert rates == [115_200]


def test_what_was_saved_outlives_a_reset_and_watchdog_resets_are_counted_for_a_minute() -> None:
    board, _, _ = board_of()
    assert board.load() is None
    record = bytearray(b"record")
    board.save(record)
    record[0] = 0
    board.start(WATCHDOG, 1_000)
    board.start(SOFT, 2_000)
    assert board.load() == b"record"
    assert (board.resets(), board.reset) == (1, SOFT)
    board.now_us = 1_000 + MINUTE_US
    assert board.resets() == 0


def test_health_is_that_of_a_good_board() -> None:
    board, _, _ = board_of()
    assert round(board.supply() * 0.2) == 24
    assert board.temperature() == 25
