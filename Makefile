# `make` prints the menu. Python packages go into .venv of this checkout, made with $(PYTHON).

PYTHON ?= python3
ARGS ?=
BUSY ?= 20
VENV := .venv
PY := $(VENV)/bin/python
# Tests wait more than they reckon: six processes for two processors; who is through takes over from the others.
SUITE := -n $(shell expr $$(nproc) \* 3) --dist worksteal

# Hundreds of programs are started: each would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := menu
.PHONY: menu run test test-all test-busy defects check check-python check-generated check-firmware check-scripts check-pages check-words format fairness soak scale halls-kills halls-cuts halls-junk halls-watch lease-model lease-schedules slow-disk floods rules rules-classic undo foresight interleavings replays verifiers verify-page fuzz bench screens frames figures selftest-figures test-languages test-accessibility test-games screenshots firmware faces hardware release-boards costs harness spice enclosures \
	test-uinput test-voice generate translations lock clean env \
	env-dev compiled packages install uninstall rollback bundle test-install test-arm64 test-chip chip-cuts

menu: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: env ## controller with the simulated hall on loopback; ARGS="--port 9000 …" goes to `pi-controller run`
	@$(VENV)/bin/pi-controller run --hardware sim $(ARGS)

test: packages env-dev $(if $(ARGS),,compiled) ## the whole default test suite; ARGS="tests/game -x" narrows it
	@$(PY) -m pytest $(or $(ARGS),$(SUITE))

test-all: packages env-dev compiled ## the whole suite with every case of its matrices, of which `make test` tries a sample
	@$(PY) -m pytest $(SUITE) -o faulthandler_timeout=0 -m "not on_pi and not soak and not uinput" $(ARGS)

test-busy: packages env-dev compiled ## the whole suite three times in a row, each beside twenty busy processes (BUSY=40 for another number): three hours
	@tools/busy.sh $(BUSY) 3 $(PY) -m pytest -o faulthandler_timeout=0 $(or $(ARGS),$(SUITE))

defects: env-dev ## spoil the product at one place after the other: each time the test named beside it must fail; ARGS="--only game"
	@$(PY) -m tests.defects $(ARGS)

check: env-dev ## format, lint, types, layers, generated files, shell scripts, pages, words: as many at a time as there are processors
	@$(MAKE) --no-print-directory --jobs=$$(nproc) --output-sync=target check-generated check-pages check-firmware check-python check-scripts check-words

check-python:
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

check-generated:
	@tools/npm.sh browser
	$(PY) -m tools.generate --check

check-words:
	@$(PY) -m tools.terms

check-firmware:
	@tools/node_types.sh $(PY)

check-scripts:
	@tools/check_scripts.sh

check-pages:
	@tools/pages.sh

format: env-dev ## format the sources and mend what the linter can
	$(VENV)/bin/ruff check --fix-only --quiet .
	$(VENV)/bin/ruff format .

fairness: env-dev ## chi-square of ten million rolls from fixed seeds
	@$(PY) -m tests.fairness $(ARGS)

soak: packages env-dev ## 250 tables in real MicroPython play a game; 1,000 kills of a running game, of which none may cost 100 ms of play or 1 s to the answer: leave the machine quiet
	@$(PY) -m pytest -o faulthandler_timeout=0 -m soak tests/firmware/test_real_micropython.py tests/journal/test_recovery.py tests/virtual_hall/test_two_masters.py
	@$(PY) -m tests.soak.kills --kills 1000 --oldest 100 --slowest 1.0 $(ARGS)

scale: env-dev ## figures of a game of many halls, real ones and by a load model until something breaks (docs/scale.md); four minutes
	@$(PY) -m benchmarks links.scale $(ARGS)

halls-kills: packages env-dev ## claims from 20 real halls while their broker is killed 100 times: each counts once, in the order of the presses; five minutes
	@$(PY) -m tests.soak.hall_kills $(ARGS)

halls-cuts: packages env-dev ## a follower's link is cut for 1 s, 3 s, 30 s and 10 min, without a word and with an end: nothing is lost, live time is back within 1 s; half an hour
	@$(PY) -m tests.soak.hall_cuts $(ARGS)

halls-junk: packages env-dev ## 1,000,000 spoilt payloads at all topics of a leader and a follower, some of them retained: no process ends, nothing passes to a core but what a links process asks, memory is steady; a quarter of an hour
	@$(PY) -m tests.soak.halls_junk $(ARGS)

lease-model: env-dev ## who leads several halls: all states of three controllers that speak, are cut off and start anew, games and a decision of persons; half an hour, 4 GiB
	@$(PY) -m tests.links.lease_model $(ARGS)

lease-schedules: env-dev ## who leads several halls: 100,000 random schedules of 20 controllers, cut apart until the network is whole; a quarter of an hour
	@$(PY) -m tests.links.lease_schedules $(ARGS)

halls-watch: packages env-dev ## four halls play for an hour through 120 faults (cuts, kills, broker, clocks that are set, other leaders), each with clocks of its own, and are watched all the time: same game within 20 ms, one leader, no claim twice; ARGS="--minutes 6 --faults 12 --seed 2"
	@$(PY) -m tests.soak.halls_watch $(ARGS)

slow-disk: packages env-dev ## core, web and links with a log that nobody reads, a minute with a disk that answers and a minute in which each call on a file's path takes 5 s: press to frozen p99 at most 1.5 times as long, no answer missing
	@$(PY) -m tests.slow_disk.hall $(ARGS)

floods: env-dev ## 1,000 connections of strangers for 30 s in each of 21 ways, plain and over TLS, beside a running game; core and web must live within the memory of their units, screens and seats with a key and new phones get in, p99 of press to frozen 10 ms, of a pause over HTTP 200 ms
	@$(PY) -m tests.soak.floods $(ARGS)

rules: env-dev ## 100,000 simulated games against the independent reference
	@$(PY) -m tests.game.rules_run $(ARGS)

rules-classic: env-dev ## 20,000 simulated classic games with 3 to 6 seats against the independent reference; five minutes
	@$(PY) -m tests.game.classic_run $(ARGS)

replays: env-dev ## 100 games recorded by the real loop and journal: every picture that was sent comes again, byte for byte; three minutes
	@$(PY) -m tests.replay.recorded_games $(ARGS)

undo: env-dev ## 100,000 games with undo, replace and redo against games in which only the intended commands were given; an hour
	@$(PY) -m tests.game.undo_run $(ARGS)

foresight: env-dev ## 10,000 games, each against one with other unseen rolls: previews, refusals and all that is told are the same, byte for byte; half an hour
	@$(PY) -m tests.core.game_loop.foresight_run $(ARGS)

interleavings: env-dev ## 10,000 interleavings of two directors and three judges on what each last saw: each command once, none lost, none unseen; ten minutes
	@$(PY) -m tests.core.game_loop.interleavings $(ARGS)

verifiers: env-dev ## the verifier inside the package and alone on 20,000 mutated and 600 re-chained games: every sentence the same
	@$(PY) -m tests.journal.verifier_fuzz $(ARGS)

verify-page: packages env-dev ## verify.html in real Chromium against the verifier in Python on 1,000 games, 100 of them forged: every sentence the same
	@$(PY) -m tests.browser.verify_games $(ARGS)

fuzz: env-dev ## ten million mutated frames of the table bus against both ends
	@PYTHONPATH=.:firmware $(PY) -m tests.bus.fuzz $(ARGS)

bench: env ## figures of this machine: latencies, clock, start, memory
	@$(PY) -m benchmarks $(ARGS)

figures: env-dev ## figures of the table bus on a clock moved by hand: pause, loss, skew, claims, faults
	@$(PY) -m tests.bus.figures
	@$(PY) -m tests.virtual_hall.figures

selftest-figures: env-dev ## the self-test's own figures: seeded faults in whole tests, false alarms, time (two hours and more)
	@$(PY) -m tests.selftest.figures $(ARGS)

test-languages: packages env-dev ## every page in every language and at three sizes, measured in real Chromium, and long games seen and heard; a quarter of an hour
	@$(PY) -m pytest -o faulthandler_timeout=0 -m "browser and soak" tests/browser/test_languages.py tests/browser/test_a_hall.py $(ARGS)

test-accessibility: packages env-dev ## every page in every state, light and dark, at three sizes, before axe-core and for contrast; a quarter of an hour
	@$(PY) -m tests.browser.accessible $(ARGS)

frames: packages env-dev ## frames of the hall screen that take the processor more than 50 ms in five minutes of play, Chromium throttled six times, beside those of an empty page
	@$(PY) -m tests.browser.frames $(ARGS)

screens: packages env-dev ## twenty screens lose their news and get them back twenty times, in real Chromium: the last cover comes within 2.5 s, goes within 1 s; three minutes
	@$(PY) -m tests.browser.covers $(ARGS)

test-games: packages env-dev ## two whole games on the real controller through the pages alone, in Chromium and in Firefox ESR; ARGS="firefox" for one
	@$(PY) -m tests.browser.whole_games $(ARGS)

test-uinput: packages env-dev ## the USB button on this kernel, by devices that the test makes (as root, with `modprobe uinput`)
	@$(PY) -m pytest -m uinput tests/hal/test_evdev_kernel.py $(ARGS)

test-voice: packages env-dev ## every call-out in every language and pair of languages, spoken and compared with its slot; two minutes
	@$(PY) -m pytest -o faulthandler_timeout=0 -m soak tests/core/sound/test_lengths.py $(ARGS)

screenshots: packages env-dev ## pictures of all pages for the documents, in real Chromium
	@$(PY) -m tests.browser.screenshots docs/pictures

firmware: env-dev ## compile the table nodes' firmware, load it in MicroPython, check its types; sizes
	@tools/firmware.sh $(PY)

touches: packages env-dev ## count anew how many touches the commonest tasks take on the director's page (docs/touches.md)
	@$(PY) -m tests.browser.touches docs/touches.md

faces: env-dev ## pictures of every face of a table's display, for the documents
	@$(PY) -m tools.table_faces docs/pictures/table_faces.png

hardware: packages env-dev ## the boards before KiCad 9 (fetched into .cache): electrical and board rules, nets, planted errors; limits of the measuring sheets
	@$(PY) -m tools.hardware check
	@$(PY) -m tools.spice

spice: packages env-dev ## compute the limits of the measuring sheets with ngspice, 10,000 boards a deck, ten minutes and more; ARGS="node_lockout" for one deck
	@$(PY) -m tools.spice $(ARGS)

release-boards: env-dev ## a zip for each board in build/hardware: Gerber, drill, parts and placement for the board house; checked by KiCad first, not computed
	@$(PY) -m tools.hardware release

costs: env-dev ## cost of a hall's parts from hardware/prices.csv: ARGS="35" boards; with --shopping what to buy
	@$(PY) -m tools.parts.files $(ARGS)

generate: env-dev ## write the files that are made from others (pins, lists of parts, settings pages, bundles of the pages)
	@tools/npm.sh browser
	@$(PY) -m tools.generate

translations: env-dev ## write build/translations/LANGUAGE.po for Poedit or Weblate, with the English text as source; ARGS="import build/translations/pl.po" takes one back
	@$(PY) -m tools.translations $(ARGS)

install: ## with sudo, on a Raspberry Pi: install or upgrade; ARGS="--dry-run" only says what it would do
	@$(PYTHON) systemd/install.py install $(ARGS)

uninstall: ## with sudo: remove it; data and settings stay, unless ARGS=--purge
	@$(PYTHON) systemd/install.py uninstall $(ARGS)

rollback: ## with sudo: back to the release before the last upgrade
	@$(PYTHON) systemd/install.py rollback $(ARGS)

bundle: ## tar file to install from without a network; for another machine: ARGS="--python 3.13 --machine aarch64"
	@$(PYTHON) systemd/install.py bundle $(ARGS)

test-install: env-dev ## the installer in a Debian 13 that really boots, without a network; with sudo, five minutes
	@[ "$$(id -u)" = 0 ] || { echo "A container can only be started by root: sudo make test-install" >&2; exit 1; }
	@tools/packages.sh packages_install.txt
	@$(PY) -m pytest -o faulthandler_timeout=0 -m soak tests/systemd $(ARGS)

test-arm64: env-dev ## the tests that need no browser on an emulated 64-bit ARM processor; with sudo, hours
	@[ "$$(id -u)" = 0 ] || { echo "The emulated system can only be made by root: sudo make test-arm64" >&2; exit 1; }
	@tools/packages.sh packages_install.txt
	@$(PY) -m tests.systemd.arm64 $(ARGS)

test-chip: packages env-dev ## the compiled firmware on an emulated RP2040: turnaround, displays, watchdog, heap; ten minutes, more the first time
	@tools/chip.sh
	@$(PY) -m pytest -o faulthandler_timeout=0 -m soak tests/chip -s $(ARGS)

chip-cuts: packages env-dev ## new firmware over the bus on the emulated RP2040, its power cut in the middle of every operation on the flash: the old or the new one must answer; goes on where it was stopped, an hour in all
	@tools/chip.sh
	@$(PY) -m tests.chip.cuts $(ARGS)

harness: env-dev ## pictures of the wiring harnesses (graphviz)
	@tools/harness.sh $(PY)

enclosures: env-dev ## the enclosures (OpenSCAD): what is printed, pictures, and that no part shares space with another
	@tools/enclosures.sh $(PY)

lock: ## choose newest allowed versions and write requirements/*.txt
	@tools/lock.sh "$(PYTHON)"

clean: ## remove what the other targets made
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

env:
	@tools/environment.sh "$(PYTHON)" $(VENV) run

env-dev:
	@tools/environment.sh "$(PYTHON)" $(VENV) dev

compiled: env-dev
	@tools/compiled.sh $(PY)

packages:
	@tools/packages.sh
	@tools/npm.sh browser
