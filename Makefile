# Every target prepares .venv by itself: it requires Python 3.11 or later, a C++ compiler and the package index.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := [tables,zstd,report,plots]
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml README.md LICENSE -type f -not -name '*.pyc')
KERNELS := $(shell find native/medir -name '*.cpp')
CPP := $(shell find native benchmarks -name '*.hpp' -o -name '*.cpp')
STUB := src/medir/_core.pyi
ENVIRONMENTS := integrations integrations-pandas2 integrations-bare  # groups of pyproject.toml

.PHONY: demo dev quick test integrations sanitize mutants bench lint tidy stubs format docs clean

demo: $(VENV)/installed
	mkdir -p build
	cd examples && ../$(BIN)/medir compare before.run after.run \
		--report "$(CURDIR)/build/report.html" --queries queries.tsv --documents documents.tsv

# The package as its developers use it: what you change is built when you import it.
dev: $(VENV)/dev

# The tests that a change is likely to break, in under a minute. The import builds what changed, once.
quick: $(VENV)/dev
	$(BIN)/python -c "import medir._core"
	SKBUILD_EDITABLE_SKIP="$(CURDIR)/build/dev" MEDIR_PROFILE=quick MEDIR_DATA= \
		$(BIN)/pytest -q -n auto --dist worksteal -m "not slow"

test: $(VENV)/installed $(VENV)/browser
	$(BIN)/pytest -n auto --dist worksteal

# The package with other libraries, each as it is: FAISS, PyTerrier, ranx, ir_measures, LangChain and others in one
# environment, pandas 2 in another, and one that has nothing but what the package needs.
integrations: $(ENVIRONMENTS:%=.venv-%/installed)
	MEDIR_INTEGRATIONS=1 MEDIR_PANDAS=3 MEDIR_BARE="$(CURDIR)/.venv-integrations-bare/bin/python" \
		.venv-integrations/bin/pytest -n auto --dist loadfile -m integration \
		tests/integrations tests/test_docs.py tests/inputs/test_every_format.py
	MEDIR_INTEGRATIONS=1 MEDIR_PANDAS=2 .venv-integrations-pandas2/bin/pytest -m integration \
		tests/integrations/test_pandas.py tests/inputs/test_every_format.py -k "not HDF5"

# The readers and solvers under the sanitizers, with made-up texts and problems.
sanitize: $(VENV)/tools
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
		-DMEDIR_SANITIZE=ON -DMEDIR_WERROR=ON
	$(BIN)/cmake --build build/sanitize
	build/sanitize/fuzz_trec 40000 | grep "40000 texts"
	build/sanitize/fuzz_queries 20000 | grep "20000 tables"
	build/sanitize/fuzz_tables 20000 | grep "20000 tables"
	build/sanitize/fuzz_solvers 2000 | grep "2000 problems"
	build/sanitize/fuzz_batches 20000 | grep "20000 streams"

# Small faults in the solvers, the measures and the gate, one at a time: does a test notice? About two hours of one
# core, so it is not part of `.ci/run`. Results are kept in build/mutants and build/mutation.
mutants: $(VENV)/installed $(VENV)/mutation-tools
	$(BIN)/python native/tests/mutation/run.py
	$(BIN)/python tests/mutation/run.py measures
	$(BIN)/python tests/mutation/run.py gate

bench: $(VENV)/installed $(VENV)/bench-tools
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/small.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/queries.py
	$(BIN)/python benchmarks/tables.py
	$(BIN)/python benchmarks/passages.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/exact.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/tbg.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/judge.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/matrix.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/similarity.py
	test -z "$(MEDIR_DATA)" || $(BIN)/python benchmarks/coverage.py

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/python native/bindings/stubs.py | diff $(STUB) - || { echo "$(STUB) is stale: make stubs"; exit 1; }

# What clang-tidy says of the kernels, with the checks of .clang-tidy.
tidy: $(VENV)/tools
	$(BIN)/cmake -S . -B build/tidy -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
		-DMEDIR_BENCHMARKS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	printf '%s\n' $(KERNELS) | xargs -P "$$(nproc)" -n 4 $(BIN)/clang-tidy -p build/tidy --quiet

# The stub of the native core, from the core.
stubs: $(VENV)/installed
	$(BIN)/python native/bindings/stubs.py > build/_core.pyi
	mv build/_core.pyi $(STUB)

format: $(VENV)/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

docs: $(VENV)/tools
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(ENVIRONMENTS:%=.venv-%) build site

# What builds, tests and checks the package.
$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group build --group test --group lint --group docs
	touch $@

# The package as users get it: a wheel, installed. It takes the place of the developers' one.
$(VENV)/installed: $(VENV)/tools $(SOURCES)
	$(BIN)/pip install --quiet --no-build-isolation ".$(EXTRAS)"
	rm -f $(VENV)/dev
	touch $@

$(VENV)/dev: $(VENV)/tools
	$(BIN)/pip install --quiet --no-build-isolation -C editable.rebuild=true -C editable.verbose=false -C build-dir=build/dev \
		-C cmake.define.MEDIR_WERROR=ON -e ".$(EXTRAS)"
	rm -f $(VENV)/installed
	touch $@

build/wheel/built: $(VENV)/tools $(SOURCES)
	rm -rf build/wheel
	$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel .
	touch $@

$(ENVIRONMENTS:%=.venv-%/tools): .venv-%/tools: pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/pip install --quiet --upgrade "pip>=25.1"
	.venv-$*/bin/pip install --quiet --no-compile --group $*
	touch $@

$(ENVIRONMENTS:%=.venv-%/installed): .venv-%/installed: .venv-%/tools build/wheel/built
	.venv-$*/bin/pip install --quiet build/wheel/*.whl
	.venv-$*/bin/pip install --quiet --force-reinstall --no-deps build/wheel/*.whl
	touch $@

# A browser for the tests of the report: Debian's, where there is none and this may install it.
# Without one these tests are skipped, and say so.
$(VENV)/browser: $(VENV)/tools
	@command -v chromium || $(INSTALL_CHROMIUM) || echo "no chromium: the report is not tested in it"
	touch $@

INSTALL_CHROMIUM := { test "$$(id -u)" = 0 && command -v apt-get && \
	{ apt-get install -qq -y chromium || { apt-get update -qq && apt-get install -qq -y chromium; }; }; \
	} > $(VENV)/chromium.log 2>&1

$(VENV)/mutation-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group mutation
	touch $@

$(VENV)/bench-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group bench
	$(BIN)/pip install --quiet --no-deps rbo  # it asks for a numpy older than it needs
	touch $@
