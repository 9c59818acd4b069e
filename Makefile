# Two commands do everything: `make demo` and `make test`. Each sets up its own environment in .venv first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
OUT ?= proband-demo
# Tests of a file share what they set up, so they stay together. Compiled tests are kept whatever the shell says.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist loadfile -rs

.PHONY: demo test test-all test-whole fuzz test-portable test-portable-short test-wheel test-lowest test-peers lint words freeze coverage bench bench-peers gallery tutorials docs lock release clean

demo: $(VENV)/run.stamp ## run the main job on the bundled synthetic faces; it ends by naming the report
	$(BIN)/proband demo --out $(OUT)

test: $(VENV)/dev.stamp ## all tests but long ones: simulations, the demo, the report in a browser
	$(PYTEST)

test-all: $(VENV)/dev.stamp ## every test
	PROBAND_FUZZ=1 $(PYTEST) -m ""

test-whole: $(VENV)/dev.stamp ## the demo, the README, the tutorials and the report in Chromium; it says so where there is none
	$(PYTEST) -m "" tests/test_readme.py tests/browser tests/integrations

fuzz: $(VENV)/dev.stamp ## many more damaged files, conditions and kills than make test tries; TIMES and SEED choose how many and which
	PROBAND_FUZZ=$(TIMES) PROBAND_FUZZ_SEED=$(SEED) $(PYTEST) -m "" tests/hostile tests/property
TIMES ?= 30
SEED ?= $(shell date +%s)

test-portable: $(VENV)/dev.stamp ## the numeric tests as on other CPUs and with other numbers of threads
	PYTHONDONTWRITEBYTECODE= $(BIN)/python tests/portable.py

test-portable-short: $(VENV)/dev.stamp ## some of them under two settings that join the extremes
	PYTHONDONTWRITEBYTECODE= $(BIN)/python tests/portable.py --short

test-wheel: $(VENV)/wheel.stamp ## the wheel in an empty environment: the core alone, then with the image libraries
	sed -nE 's/^([A-Za-z0-9].*) \\$$/\1/p' requirements/run.txt > $(VENV)/locked.txt
	$(PYTHON) -m venv --clear $(VENV)/wheel
	$(call try_wheel,wheel,locked.txt,dist,)
	$(call try_wheel,wheel,locked.txt,dist,[images])

test-lowest: $(VENV)/run.stamp ## the wheel, built by and with the lowest versions that pyproject.toml declares
	$(BIN)/python tests/installed.py lowest > $(VENV)/lowest.txt
	$(PYTHON) -m venv --clear $(VENV)/lowest
	$(VENV)/lowest/bin/python -m pip --disable-pip-version-check install --quiet -c $(VENV)/lowest.txt hatchling
	$(VENV)/lowest/bin/python -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps -w $(VENV)/lowest/dist .
	$(call try_wheel,lowest,lowest.txt,lowest/dist,[all$(COMMA)dlib])

test-peers: $(VENV)/dev.stamp ## the numbers of scikit-learn, TorchMetrics, bob.measure and pyeer made anew; WRITE=1 keeps them
	$(BIN)/python -m tests.peers $(if $(WRITE),--write)

COMMA := ,
# environment, constraints, place of the wheel, extras
define try_wheel
	$(VENV)/$(1)/bin/python -m pip --disable-pip-version-check install --quiet -c $(VENV)/$(2) "$$(ls $(VENV)/$(3)/*.whl)$(4)"
	$(VENV)/$(1)/bin/python tests/installed.py
endef

lint: $(VENV)/dev.stamp ## format, lint, types, import law
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

words: $(VENV)/dev.stamp ## every text of the product, for reading
	$(BIN)/python -m tests.words

freeze: $(VENV)/dev.stamp ## the public surface and the messages as they are now, for the tests of both
	$(BIN)/python -m tests.frozen.freeze

coverage: $(VENV)/dev.stamp ## the studies of coverage, from where they stopped: docs/coverage.json and docs/understand/trust.md; SETS, MINUTES and STUDY choose
	$(BIN)/python -m tests.statistical.coverage_table --sets $(SETS) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(STUDY),--study $(STUDY))
SETS ?= 4000

bench: $(VENV)/dev.stamp ## measured ratios against naive ways and the peers that are there, in one run
	$(BIN)/python -m benchmarks

bench-peers: $(VENV)/dev.stamp ## the same, with the environments of the peers set up first
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks

gallery: $(VENV)/dev.stamp ## the figures of docs/how-to/gallery.md and docs/methods, drawn again by the code of the pages
	$(BIN)/python -m tests.gallery

tutorials: $(VENV)/dev.stamp ## the outputs of docs/tutorials, computed again
	$(BIN)/python -m tests.tutorials

docs: $(VENV)/dev.stamp ## the documentation as a site, without the network; warnings are errors
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto --doctree-dir $(VENV)/doctrees docs site
	@echo "the documentation is site/index.html"

release: $(VENV)/release.stamp ## wheel, sdist, SBOM and checksums of the last commit, in dist/; built twice and compared
	$(VENV)/release/bin/python packaging/release.py

# The SBOM is made of run.txt, whose annotations say what requires what.
lock: $(VENV)/dev.stamp ## resolve the dependencies again
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml --extra images --group build $(LOCK_OPTIONS) -o requirements/run.txt
	$(BIN)/uv pip compile pyproject.toml --extra all --group dev $(LOCK_OPTIONS) --no-annotate -o requirements/dev.txt
	$(BIN)/uv pip compile --group release $(LOCK_OPTIONS) --no-annotate -o requirements/release.txt
LOCK_OPTIONS := --universal --python-version 3.11 --generate-hashes --no-header --upgrade --quiet

clean:
	rm -rf $(VENV) site docs/reference/commands docs/reference/python dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Proband needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# The package itself goes in last and editable, built with the locked backend, so that nothing unlocked is fetched.
$(VENV)/run.stamp: $(VENV)/bin/python requirements/run.txt pyproject.toml
	$(PIP) --require-hashes -r requirements/run.txt
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/wheel.stamp: $(VENV)/run.stamp $(shell find src -type f -not -path '*/__pycache__/*') README.md
	rm -rf $(VENV)/dist
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps -w $(VENV)/dist .
	@touch $@

$(VENV)/release.stamp: requirements/release.txt
	$(PYTHON) -m venv --clear $(VENV)/release
	$(VENV)/release/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements/release.txt
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@
