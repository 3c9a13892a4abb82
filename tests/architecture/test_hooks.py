"""The optional hooks before a commit run what `make check` runs, and fetch nothing."""

import yaml

from tests.architecture.sources import texts


def test_hooks_are_commands_of_make_check() -> None:
    hooks = [
        (repo["repo"], hook)
        for repo in yaml.safe_load(texts()[".pre-commit-config.yaml"])["repos"]
        for hook in repo["hooks"]
    ]
    check = texts()["Makefile"].split("\ncheck-python:")[1].split("\n\n")[0].replace("$(VENV)", ".venv")
    commands = {line.strip() for line in check.splitlines()[1:]}
    assert {hook["entry"] for _, hook in hooks} <= commands
    assert [(repo, hook["language"]) for repo, hook in hooks] == [("local", "system")] * 4
