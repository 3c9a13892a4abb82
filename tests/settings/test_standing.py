"""What a promotion has made of a hall."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.sections import LinkSettings
from pi_controller.settings.standing import (
    HallRole,
    believed,
    forget_standing,
    keep_standing,
    read_standing,
    signed,
)

FOLLOWER = LinkSettings(role="follower")


def test_a_hall_is_what_its_settings_say(tmp_path: Path) -> None:
    assert read_standing(tmp_path) == HallRole(term=1, promoted=False)
    assert [HallRole().role(LinkSettings(role=role)) for role in ("none", "leader", "follower")] == [
        "none",
        "leader",
        "follower",
    ]


def test_a_promoted_follower_leads_until_it_steps_down(tmp_path: Path) -> None:
    keep_standing(tmp_path, HallRole(term=4, promoted=True))
    assert read_standing(tmp_path).term == 4
    assert read_standing(tmp_path).role(FOLLOWER) == "leader"
    assert read_standing(tmp_path).role(LinkSettings()) == "none"
    forget_standing(tmp_path)
    assert read_standing(tmp_path).role(FOLLOWER) == "follower"


@pytest.mark.parametrize("text", ["", "{}x", '{"term": 0}', '{"term": 2, "king": true}'])
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, text: str) -> None:
    (tmp_path / "links.json").write_text(text)
    with pytest.raises(SettingsFault, match="step-down"):
        read_standing(tmp_path)


def test_a_term_is_believed_where_the_key_proves_it() -> None:
    key, other = "11" * 32, "22" * 32
    kept = signed(HallRole(term=4, over=("c9.3",), promoted=True), controller="c1", lease_key=key)
    assert believed(kept, controller="c1", lease_key=key) == kept
    first = replace(kept, term=1, over=())
    for wrong, controller, lease_key in (
        (kept, "c1", other),
        (kept, "c1", None),
        (kept, "c2", key),
        (replace(kept, term=5), "c1", key),
        (replace(kept, over=()), "c1", key),
        (replace(kept, proof=""), "c1", key),
    ):
        found = believed(wrong, controller=controller, lease_key=lease_key)
        assert replace(found, proof=first.proof) == first, "it still leads, in the first term"
