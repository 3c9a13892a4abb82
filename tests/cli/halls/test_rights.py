"""What of the rights can be said without a broker; tests/system/test_secure_halls.py asks a real one."""

from pi_controller.cli.broker_files import (
    Users,
    mark_in,
    own_lines_in,
    password_line,
    rights_of,
    rights_text,
    topics_of,
    users_in,
    without,
)

USERS = Users(("main", "east", "west"), ("lights",), ("main", "west"))


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


def test_nobody_writes_below_the_name_of_another_hall() -> None:
    for account, rights in rights_of(USERS).items():
        below = {f"controller/{account}/", f"homeassistant/device/pi_controller_{account}/"}
        assert account == "_broker" or all(
            any(one.startswith(start) for start in below) for one in rights.write
        )
    assert rights_of(USERS)["lights"].write == ()


def test_a_follower_reads_what_a_leader_tells_and_its_own_answers() -> None:
    read = rights_of(USERS)["east"].read
    told = ("answer/east", "beat", "health", "lease", "picture", "result/east", "status", "tables")
    assert sorted(read) == [*(f"controller/+/{name}" for name in told), "controller/east/ask"]
    asked = {f"controller/+/{name}" for name in ("ask", "pause", "press", "claim", "withdraw")}
    assert asked < set(rights_of(USERS)["west"].read)


def test_the_mark_of_a_list_is_its_own() -> None:
    text = rights_text(USERS)
    assert mark_in(text).startswith("rights/")
    assert mark_in(text) == mark_in(rights_text(USERS, "user a\ntopic write rights/0\n"))
    assert mark_in(text) != mark_in(rights_text(Users(USERS.halls, USERS.listeners, ("main",))))
    assert mark_in("") == ""


def test_every_topic_is_tried_once() -> None:
    topics = topics_of(USERS)
    assert len(set(topics)) == len(topics)
    assert {"controller/east/answer/west", "controller/west/lease", "controller/main/other"} < set(topics)
    assert not any("+" in one or "#" in one for one in topics)
