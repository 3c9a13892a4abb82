from pi_controller.hal.sim.sound import DEAD, SimSound
from pi_controller.hal.sound.tone import tone_wav


def test_it_remembers_what_was_played_until_its_plug_is_pulled() -> None:
    sound = SimSound()
    assert sound.play(tone_wav(300), limit_s=4) is None
    sound.dead = True
    assert sound.play(tone_wav(400), limit_s=4) == DEAD
    assert sound.played == [300]
