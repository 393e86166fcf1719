# machmeter for developers: `make help`.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
BIN := $(VENV)/bin
TIDY_BUILD := build/tidy
NATIVE := $(shell find native -name '*.hpp' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help run test test-unit test-alone lint format bench docs schema setup setup-dev clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

run: setup ## measure this machine: set up, measure, print a summary, write report.html
	$(BIN)/machmeter run --report report.html

# What measures runs one by one, with nothing beside it; the rest runs on all cores.
BESIDE := -m 'not native and not end_to_end' -n auto --maxprocesses=8 --dist=loadfile
# What pytest ends with at Ctrl-C: make's shell may not see the signal as the end of all.
INTERRUPTED := 2
ALONE := tests/native tests/end_to_end -m 'native or end_to_end'

test: setup-dev ## every test: those that measure nothing side by side, then the others
	@failed=0; \
	$(BIN)/python -m pytest $(BESIDE) || failed=$$?; \
	test $$failed -ne $(INTERRUPTED) || exit $$failed; \
	$(BIN)/python -m pytest $(ALONE) || failed=$$?; \
	exit $$failed

test-unit: setup-dev ## the pure, fast tests
	$(BIN)/python -m pytest tests/unit -n auto --maxprocesses=8 --dist=loadfile

test-alone: setup-dev ## the tests that measure: native and end to end
	$(BIN)/python -m pytest $(ALONE)

lint: setup-dev $(TIDY_BUILD)/compile_commands.json ## ruff, mypy, import-linter, clang-format, clang-tidy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy bench tools
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/python tools/run_clang_tidy.py $(TIDY_BUILD)

format: setup-dev ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE)

bench: setup-dev ## machmeter against its peers, side by side (ARGS="--help" shows more)
	$(BIN)/python -m bench $(ARGS)

docs: setup-dev ## regenerate what is made from the code: JSON Schemas, benchmarks, claims of studies
	$(BIN)/python tools/write_docs.py

setup: $(VENV)/.ready ## the virtual environment of a user

setup-dev: $(VENV)/.ready-dev ## the virtual environment of a developer

$(VENV)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "machmeter needs Python 3.11 or newer: install it, or make PYTHON=/path/to/python3"; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "no venv: install it (Debian: apt install python3-venv)"; exit 3; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(TIDY_BUILD)/compile_commands.json: native/CMakeLists.txt native/tests/CMakeLists.txt $(VENV)/.ready-dev
	$(BIN)/python tools/configure_tidy.py $(TIDY_BUILD)

clean: ## remove what was built here (not the cache, not the runs)
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
