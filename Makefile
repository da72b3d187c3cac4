# Every target prepares .venv by itself: it takes Python 3.11 or later, a C++ compiler and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml README.md LICENSE -type f -not -name '*.pyc')
CPP := $(shell find native benchmarks -name '*.hpp' -o -name '*.cpp')

.PHONY: demo test bench lint format docs clean

demo: $(VENV)/installed
	mkdir -p build
	cd examples && ../$(BIN)/medir compare before.run after.run \
		--report "$(CURDIR)/build/report.html" --queries queries.tsv --documents documents.tsv

test: $(VENV)/installed $(VENV)/browser
	$(BIN)/pytest -n auto

bench: $(VENV)/installed $(VENV)/bench-tools
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/passages.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/exact.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/tbg.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/judge.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/matrix.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/similarity.py

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(VENV)/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

docs: $(VENV)/tools
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build site

# What builds, tests and checks the package.
$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group build --group test --group lint --group docs
	touch $@

# The package as users get it: a wheel, installed.
$(VENV)/installed: $(VENV)/tools $(SOURCES)
	$(BIN)/pip install --quiet --no-build-isolation ".[tables,zstd,report,plots]"
	touch $@

# A browser for the tests of the report: Debian's, where there is none and this may install it.
# Without one these tests are skipped, and say so.
$(VENV)/browser: $(VENV)/tools
	@command -v chromium || $(INSTALL_CHROMIUM) || echo "no chromium: the report is not tested in it"
	touch $@

INSTALL_CHROMIUM := { test "$$(id -u)" = 0 && command -v apt-get && \
	{ apt-get install -qq -y chromium || { apt-get update -qq && apt-get install -qq -y chromium; }; }; \
	} > $(VENV)/chromium.log 2>&1

$(VENV)/bench-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group bench
	$(BIN)/pip install --quiet --no-deps rbo  # it asks for a numpy older than it needs
	touch $@
