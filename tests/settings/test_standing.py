"""What a promotion has made of a hall."""

from pathlib import Path

import pytest

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.sections import Links
from pi_controller.settings.standing import Standing, forget_standing, keep_standing, read_standing

FOLLOWER = Links(role="follower")


def test_a_hall_is_what_its_settings_say(tmp_path: Path) -> None:
    assert read_standing(tmp_path) == Standing(term=1, promoted=False)
    assert [Standing().role(Links(role=role)) for role in ("none", "leader", "follower")] == [
        "none",
        "leader",
        "follower",
    ]


def test_a_promoted_follower_leads_until_it_steps_down(tmp_path: Path) -> None:
    keep_standing(tmp_path, Standing(term=4, promoted=True))
    assert read_standing(tmp_path).term == 4
    assert read_standing(tmp_path).role(FOLLOWER) == "leader"
    assert read_standing(tmp_path).role(Links()) == "none"
    forget_standing(tmp_path)
    assert read_standing(tmp_path).role(FOLLOWER) == "follower"


@pytest.mark.parametrize("text", ["", "{}x", '{"term": 0}', '{"term": 2, "king": true}'])
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, text: str) -> None:
    (tmp_path / "links.json").write_text(text)
    with pytest.raises(SettingsFault, match="step-down"):
        read_standing(tmp_path)
