# machmeter for developers: `make help`.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native bench -name '*.hpp' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help run test test-changed test-unit test-alone test-full test-apps lint lint-style lint-types format bench golden docs schema setup setup-dev clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

run: setup ## measure this machine: set up, measure, print a summary, write report.html
	$(BIN)/machmeter run --report report.html

# Bytecode is written whatever the environment says: else every worker, and every command that a
# test starts, compiles all modules again and rewrites the asserts of all tests again.
export PYTHONDONTWRITEBYTECODE :=

# Tests that measure run one at a time with nothing in parallel; all others use all cores.
# In order of their folders: what compiles begins first. One worker more than cores: some wait.
WORKERS := $(shell expr $$(nproc) + 1)
TOGETHER := -n $(WORKERS) --maxprocesses=8 --dist=loadfile --no-loadscope-reorder
PARALLEL := -m 'not alone and not full' $(TOGETHER)
ALONE := tests/native tests/end_to_end -m 'alone and not full and not apps'
FULL := tests/native tests/end_to_end -m full
APPS := tests/end_to_end/programs -m apps
# pytest's exit code at Ctrl-C: make's shell may not stop on the signal itself.
INTERRUPTED := 2

test: setup-dev ## all tests: those that do not measure in parallel, then the others one at a time
	@failed=0; \
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS) || failed=$$?; \
	test $$failed -ne $(INTERRUPTED) || exit $$failed; \
	$(BIN)/python -m pytest $(ALONE) $(PYTEST_ARGS) || failed=$$?; \
	exit $$failed

test-changed: setup-dev ## what the changes since HEAD affect, in seconds (or FILES="...")
	$(BIN)/python tools/test_changed.py $(FILES)

test-unit: setup-dev ## unit tests, in parallel
	$(BIN)/python -m pytest tests/unit $(TOGETHER)

test-alone: setup-dev ## tests that measure, one at a time
	$(BIN)/python -m pytest $(ALONE)

test-apps: setup-dev ## applications that CI does not install and that are here, one at a time
	$(BIN)/python -m pytest $(APPS) $(PYTEST_ARGS)

test-full: lint test ## all tests, every MPI with every benchmark, Clang, clang-tidy on all sources
	$(BIN)/python -m pytest $(FULL) $(PYTEST_ARGS)
	$(BIN)/python tools/run_clang_tidy.py --all

lint: lint-style lint-types ## ruff, clang-format, import-linter, mypy; clang-tidy on what changed since HEAD
	$(BIN)/python tools/run_clang_tidy.py

lint-style: setup-dev ## of these what takes seconds: ruff, clang-format, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/lint-imports

lint-types: setup-dev ## mypy --strict
	$(BIN)/mypy
	$(BIN)/mypy bench tools

format: setup-dev ## format the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE)

bench: setup-dev ## compare machmeter with its peers (options: ARGS="--help")
	$(BIN)/python -m bench $(ARGS)

golden: setup-dev ## write what is shown of stored runs, and what is planned, again, and what changed
	$(BIN)/python -m pytest -q tests/unit/report/test_golden.py tests/unit/run/planning/test_odd_topologies.py --write-golden
	git diff --stat -- tests/data/golden tests/data/plans.json

docs: setup-dev ## regenerate documents made from the code: JSON Schemas, reference pages, glossary
	$(BIN)/python tools/write_docs.py

setup: $(VENV)/.ready ## create the virtual environment for users

setup-dev: $(VENV)/.ready-dev ## create the virtual environment for developers

# In the virtual environment: with pip, which `machmeter run` fetches MPI libraries by. The pip of
# $(PYTHON) installs at once; where it has none, or none that knows --python, ensurepip does first.
# Bytecode of what is never imported is left out, and all cores make that of the rest.
define INSTALL
@test -n "$(PYTHON)" || { echo "machmeter needs Python 3.11 or newer: install it, or make PYTHON=/path/to/python3"; exit 3; }
@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV) || { echo "no venv: install it (Debian: apt install python3-venv)"; exit 3; }
@pip="$(PYTHON) -m pip --python $(BIN)/python"; \
$$pip --version >/dev/null 2>&1 || { pip="$(BIN)/python -m pip"; $(BIN)/python -m ensurepip >/dev/null; } \
|| { echo "no pip: install it (Debian: apt install python3-venv)"; exit 3; }; \
$$pip install --quiet --disable-pip-version-check --no-compile pip --editable $(1)
@$(BIN)/python -m compileall -q -j 0 -x '/(tests|pip|cmake|f2py|distutils|pygments|scipy/(?!_lib|special))' $(VENV)/lib || true
endef

$(VENV)/.ready: pyproject.toml
	$(call INSTALL,.)
	@touch $@

$(VENV)/.ready-dev: pyproject.toml
	$(call INSTALL,'.[dev]')
	@touch $@ $(VENV)/.ready

clean: ## remove build outputs (not the cache, not the runs)
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
