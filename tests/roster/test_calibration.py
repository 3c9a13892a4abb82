"""The gains of table nodes: learned from a multimeter, kept by uid, and what is no gain."""

from pathlib import Path

import pytest

from pi_controller.bus.values import NodeMeasured
from pi_controller.roster.store import (
    CALIBRATION_FILE,
    Calibration,
    CalibrationFile,
    CannotCalibrate,
    load,
    save,
)
from tests.told import told

ONE, OTHER = "e6614c311b000001", "e6614c311b000002"


def reads(volts: float, uid: str = ONE) -> NodeMeasured:
    return NodeMeasured(uid=uid, supply_v=volts, spread_v=0.02)


def test_a_corrected_node_reads_what_the_multimeter_says() -> None:
    learned = Calibration().learned(reads(23.4), 24.0)
    one, other = learned.corrected((reads(23.4), reads(23.4, OTHER)))
    assert (one.supply_v, one.calibrated) == (pytest.approx(24.0), True)
    assert (other.supply_v, other.calibrated) == (23.4, False)


def test_a_second_time_counts_from_the_nodes_own_reading() -> None:
    first = Calibration().learned(reads(23.0), 24.0)
    (corrected,) = first.corrected((reads(23.0),))
    assert first.learned(corrected, 23.5).gains[ONE] == pytest.approx(23.5 / 23.0)


@pytest.mark.parametrize("volts", [7.9, 30.1, float("nan"), -24.0])
def test_what_is_no_supply(volts: float) -> None:
    with pytest.raises(CannotCalibrate, match=r"."):
        Calibration().learned(reads(24.0), volts)


@pytest.mark.parametrize("read", [22.8, 25.3, 0.0])
def test_more_than_a_sound_board_can_be_wrong(read: float) -> None:
    with pytest.raises(CannotCalibrate) as refused:
        Calibration().learned(reads(read), 24.0)
    assert told(refused.value.sentence).startswith(
        f"Node {ONE} reads {read:.2f} V where 24.00 V were measured, more than 5% apart"
    )


def test_a_gain_is_taken_away_alone_and_only_where_there_is_one() -> None:
    both = Calibration(gains={ONE: 1.02, OTHER: 0.99})
    assert both.without(ONE).gains == {OTHER: 0.99}
    with pytest.raises(CannotCalibrate) as refused:
        both.without(ONE).without(ONE)
    assert told(refused.value.sentence).startswith(f"No gain is kept for node {ONE};")


def test_a_file_that_has_become_another_is_read_again(tmp_path: Path) -> None:
    kept = CalibrationFile(tmp_path)
    assert kept.gains() == ({}, None)
    save(Calibration(gains={ONE: 1.02}), tmp_path)
    assert kept.gains() == ({ONE: 1.02}, None)
    (tmp_path / CALIBRATION_FILE).write_text("{}}")
    gains, why = kept.gains()
    assert gains == {}
    assert "holds no calibration of table nodes" in told(why)
    (tmp_path / CALIBRATION_FILE).unlink()
    assert kept.gains() == ({}, None)


def test_it_is_kept_in_the_state_folder(tmp_path: Path) -> None:
    assert load(tmp_path) == Calibration()
    kept = Calibration(gains={ONE: 1.02, OTHER: 0.99})
    save(kept, tmp_path)
    assert load(tmp_path) == kept
    assert [path.name for path in tmp_path.iterdir()] == [CALIBRATION_FILE]


def test_what_somebody_put_in_its_way_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "elsewhere"
    victim.write_text("as it was")
    (tmp_path / CALIBRATION_FILE).with_suffix(".new").symlink_to(victim)
    (tmp_path / f"{CALIBRATION_FILE}.new").symlink_to(victim)
    save(Calibration(gains={ONE: 1.02}), tmp_path)
    assert victim.read_text() == "as it was"
    assert load(tmp_path).gains == {ONE: 1.02}


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"version":2}', '{"gains":{"e6":1.0}}', f'{{"gains":{{"{ONE}":2.0}}}}', '{"nodes":{}}'],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / CALIBRATION_FILE).write_text(text)
    with pytest.raises(CannotCalibrate) as refused:
        load(tmp_path)
    assert told(refused.value.sentence).startswith(
        f"{tmp_path / CALIBRATION_FILE} holds no calibration of table nodes ("
    )
