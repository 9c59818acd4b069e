# Two commands do everything: `make demo` and `make test`. Each sets up its own environment in .venv first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
OUT ?= proband-demo

.PHONY: demo test test-all lint bench docs lock clean

demo: $(VENV)/run.stamp ## run the main job on the bundled synthetic faces; it ends by naming the report
	$(BIN)/proband demo --out $(OUT)

test: $(VENV)/dev.stamp ## all tests but the long simulations; it says what was skipped, such as the browser where there is none
	$(BIN)/python -m pytest -q -n auto -rs

test-all: $(VENV)/dev.stamp ## every test
	$(BIN)/python -m pytest -q -n auto -rs -m ""

lint: $(VENV)/dev.stamp ## format, lint, types, import law
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp ## measured ratios against naive ways and peers, in one run
	$(BIN)/python -m benchmarks

docs: $(VENV)/dev.stamp ## the documentation as a site
	$(BIN)/mkdocs build --strict --quiet
	@echo "the documentation is site/index.html"

lock: $(VENV)/dev.stamp ## resolve the dependencies anew
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml --extra images --group build $(LOCK_OPTIONS) -o requirements/run.txt
	$(BIN)/uv pip compile pyproject.toml --extra all --group dev $(LOCK_OPTIONS) -o requirements/dev.txt
LOCK_OPTIONS := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade --quiet

clean:
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Proband needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# The package itself goes in last and editable, built with the locked backend, so that nothing unlocked is fetched.
$(VENV)/run.stamp: $(VENV)/bin/python requirements/run.txt pyproject.toml
	$(PIP) --require-hashes -r requirements/run.txt
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@
