"""What a script of the pages gives to others is used: by another script, or within its own file."""

import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pi_controller" / "web" / "pages"
EXPORT = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)
IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as \w+) from "([^"]+)"', re.MULTILINE)
FUNCTION = re.compile(
    r"^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+) = (?:async )?\(", re.MULTILINE
)


def scripts() -> dict[Path, str]:
    theirs = ("bundles", "vendor")
    found = [path for path in PAGES.rglob("*.js") if not set(theirs) & set(path.relative_to(PAGES).parts)]
    return {path: path.read_text(encoding="utf-8") for path in found}


def uses(name: str, script: str) -> int:
    return len(
        re.findall(
            rf"(?<![\w#])(?<![\w)\]]\.){name}\b", re.sub(r"/\*.*?\*/|//[^\n]*", "", script, flags=re.DOTALL)
        )
    )


def test_every_export_is_imported_and_every_function_is_used() -> None:
    found = scripts()
    imported = {
        ((path.parent / where).resolve(), name.split(" as ")[0].strip())
        for path, script in found.items()
        for names, where in IMPORT.findall(script)
        for name in names.split(",")
    }
    unused = [
        f"{path.relative_to(PAGES)}: {name}"
        for path, script in found.items()
        for name in {*EXPORT.findall(script), *(one or other for one, other in FUNCTION.findall(script))}
        if (path, name) not in imported and uses(name, script) < 2
    ]
    assert len(imported) > 100
    assert unused == []
