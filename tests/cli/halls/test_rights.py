"""What of the rights can be said without a broker; tests/system/test_secure_halls.py asks a real one."""

from pi_controller.cli.halls.rights import Users, own_lines_in, password_line, rights_text, users_in, without

USERS = Users(("main", "east"), ("lights",))


def test_a_list_tells_whom_it_is_for() -> None:
    assert users_in(rights_text(USERS)) == USERS
    assert users_in("") == Users()


def test_lines_of_a_technician_stay_and_are_nobody_of_ours() -> None:
    own = "user zigbee2mqtt\ntopic readwrite zigbee2mqtt/#\n"
    text = rights_text(USERS, own)
    assert own_lines_in(text) == own
    assert users_in(text) == USERS
    assert rights_text(users_in(text), own_lines_in(text)) == text


def test_equal_passwords_have_different_lines() -> None:
    first, second = (password_line("main", "x") for _ in range(2))
    assert first.startswith("main:$7$101$")
    assert first != second


def test_one_is_left_out_by_the_whole_name() -> None:
    assert without("main:a\nmain-2:b\n", ["main"]) == ["main-2:b"]
