# Every target prepares .venv by itself: it takes Python 3.11 or later, a C++ compiler and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml README.md LICENSE -type f -not -name '*.pyc')
CPP := $(shell find native benchmarks -name '*.hpp' -o -name '*.cpp')

.PHONY: demo test bench lint format docs clean

demo: $(VENV)/installed
	cd examples && ../$(BIN)/medir compare before.run after.run

test: $(VENV)/installed
	$(BIN)/pytest -n auto

bench: $(VENV)/installed $(VENV)/bench-tools
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/compare.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/exact.py

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
	$(BIN)/pip install --quiet --no-build-isolation ".[tables,zstd]"
	touch $@

$(VENV)/bench-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group bench
	touch $@
