from pi_controller.bus.messages import Prbs

BITS = 0x7FFF


def bits(data: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in data)


def test_every_pattern_of_15_bits_comes_once_before_it_begins_anew() -> None:
    sequence = bits(Prbs(5).take(BITS + 2))
    assert sequence[BITS : BITS + 15] == sequence[:15]
    patterns = {sequence[at : at + 15] for at in range(BITS)}
    assert len(patterns) == BITS
    assert "0" * 15 not in patterns


def test_a_seed_is_a_place_in_it() -> None:
    assert Prbs(0).take(100) != Prbs(1).take(100)
    assert Prbs(BITS).take(100) == Prbs(0).take(100)
    one = Prbs(7)
    assert one.take(10) + one.take(14) == Prbs(7).take(24)
