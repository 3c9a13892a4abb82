from pathlib import Path

from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import forget

WALL = "2026-11-21T19:00:00+00:00"
OLD, MIDDLE, NEW = "20261020-190000-0001", "20261119-190000-0002", "20261121-180000-0003"


def kept(tmp_path: Path) -> tuple[Store, Path]:
    """A store with three games, their copies, and a second copy of each."""
    store, second = Store(tmp_path / "state"), tmp_path / "second"
    store.prepare()
    store.exports_dir.mkdir()
    for game in (OLD, MIDDLE, NEW):
        for folder in (store.games_dir / game, second / "games" / game):
            folder.mkdir(parents=True)
            (folder / "journal.jsonl").write_bytes(b"x\n")
        for name in (f"{game}.json", f"{game}.jsonl"):
            (store.exports_dir / name).write_bytes(b"x\n")
    return store, second


def there(*folders: Path) -> list[set[str]]:
    return [{path.name.split(".")[0] for path in folder.iterdir()} for folder in folders]


def test_games_that_are_too_old_go_with_all_their_copies(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    assert forget(store, keep_days=30, wall=WALL, second_copy=second) == [OLD]
    assert there(store.games_dir, store.exports_dir, second / "games") == [{MIDDLE, NEW}] * 3
    assert forget(store, keep_days=30, wall=WALL, second_copy=second) == []


def test_the_newest_game_stays_and_so_does_what_no_controller_has_named(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    (store.games_dir / "mine").mkdir()
    assert forget(store, keep_days=1, wall="2036-11-21T19:00:00+00:00", second_copy=None) == [MIDDLE, OLD]
    assert there(store.games_dir) == [{NEW, "mine"}]
    assert there(second / "games") == [{OLD, MIDDLE, NEW}], "a second copy that is not there now"


def test_without_the_setting_all_are_kept(tmp_path: Path) -> None:
    store, second = kept(tmp_path)
    assert forget(store, keep_days=0, wall="2036-11-21T19:00:00+00:00", second_copy=second) == []
