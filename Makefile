# Every target prepares .venv by itself: it requires Python 3.11 or later, a C++ compiler and the package index.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := [tables,zstd,report,plots,clusters]
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml README.md LICENSE -type f -not -name '*.pyc')
KERNELS := $(shell find native/medir -name '*.cpp')
NATIVE := $(shell find native CMakeLists.txt -name '*.hpp' -o -name '*.cpp' -o -name '*.cmake' -o -name CMakeLists.txt)
CPP := $(shell find native benchmarks -name '*.hpp' -o -name '*.cpp')
STUB := src/medir/_core.pyi
FUZZ_RUNS ?= 10000000
FUZZ_SECONDS ?= 6
FUZZ_ONLY ?=
# Changed copies of the corpus per harness; which allocations fail in turn: 1 for each of them, in some minutes.
SANITIZE_ROUNDS ?= 1000
SANITIZE_STEP ?= 15
# The tests that exercise the native core; the whole suite under sanitizers would take hours.
CORE_TESTS ?= tests/test_bindings.py tests/test_rows.py tests/inputs tests/comparing tests/measures tests/similarity \
	tests/passages tests/expecting
COVERAGE_TESTS ?= tests
ENVIRONMENTS := integrations integrations-pandas2 integrations-bare spark  # groups of pyproject.toml

# Runs the native tests of a folder, each so many rounds, by a program or as they are.
run-native-tests = $(3) $(1)/portable $(2)0 && for test in $(1)/fuzz_*; do $(3) $$test native/tests/corpus/$${test\#*/fuzz_} $(2); done
# Systems that the kernels are compiled for, as zig names them, and what runs programs of the first.
CROSS := aarch64-linux-gnu aarch64-macos x86_64-windows-gnu
QEMU := qemu-aarch64-static
ARM_LIBRARIES := /usr/aarch64-linux-gnu
# The interpreters that wheels are built and tested with: those on the path, and pyenv's.
PYENV ?= $(HOME)/.pyenv/versions
find-python = $(firstword $(filter-out %t/bin/python,$(wildcard $(PYENV)/$(1).*/bin/python)) $(shell command -v python$(1)))
ABI3_PYTHONS := $(foreach version,3.12 3.13 3.14,$(if $(call find-python,$(version)),$(version)))

.PHONY: demo dev quick test integrations spark sanitize sanitize-python fuzz fuzz-briefly fuzz-notation corpus coverage mutants portable cross wheels test-wheels wheel-demo bench lint tidy stubs format docs pictures clean
.PRECIOUS: .venv-wheel-%/demo .venv-wheel-%/installed build/cross/%/built

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
integrations: $(patsubst %,.venv-%/installed,$(filter-out spark,$(ENVIRONMENTS)))
	MEDIR_INTEGRATIONS=1 MEDIR_PANDAS=3 MEDIR_BARE="$(CURDIR)/.venv-integrations-bare/bin/python" \
		.venv-integrations/bin/pytest -n auto --dist loadfile -m integration \
		tests/integrations tests/test_docs.py tests/inputs/test_every_format.py
	MEDIR_INTEGRATIONS=1 MEDIR_PANDAS=2 .venv-integrations-pandas2/bin/pytest -m integration \
		tests/integrations/test_pandas.py tests/inputs/test_every_format.py -k "not HDF5"

# The package on a cluster of Spark: two executors on this machine, which one process starts once; another runs the
# examples of the documentation, which start their own. Without Java the tests are skipped, and say so.
spark: .venv-spark/installed
	.venv-spark/bin/pytest -n 2 --dist loadgroup -m spark tests/integrations/spark tests/test_docs.py

# The native tests under the sanitizers, with g++ or any other compiler: every reader and solver against its definition
# over the corpus and changed copies of it, a failing allocator, and threads.
sanitize: build/address/built build/thread/built
	for harness in build/address/fuzz_*; do name=$${harness#*/fuzz_}; printf "%s: " $$name; \
		$$harness native/tests/corpus/$$name $(SANITIZE_ROUNDS); done
	build/address/check
	ASAN_OPTIONS=alloc_dealloc_mismatch=0 build/address/allocations $(SANITIZE_STEP)
	build/address/hashing
	build/address/threads
	build/thread/threads

# The tests of the native core from Python, with the module built with sanitizers: address and undefined behaviour,
# then threads.
# pytrec_eval, which some tests compare with, frees by free() what it allocates by new. The thread
# sanitizer needs addresses that are not drawn at random, and polars, which does not load under it, is not found.
sanitize-python: build/address-python/installed build/thread-python/installed
	$(call SANITIZED,asan) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:alloc_dealloc_mismatch=0 \
		build/address-python/bin/python -m pytest -q -n auto --dist worksteal -m "not slow" -p no:cacheprovider $(CORE_TESTS)
	$(call SANITIZED,tsan) TSAN_OPTIONS=halt_on_error=1:suppressions=$(CURDIR)/native/tests/thread-sanitizer.txt \
		setarch -R build/thread-python/bin/python -m pytest -q -n auto --dist worksteal -m "not slow" -p no:cacheprovider $(CORE_TESTS) \
		$$(grep -rlE "polars|every_format" --include=*.py $(CORE_TESTS) | sed s/^/--ignore=/)

# Coverage-guided: libFuzzer runs every harness of native/tests/fuzz until it has seen FUZZ_RUNS inputs (a tenth of them
# for a solver), and a table says how much code they reached. FUZZ_ONLY names some of the harnesses. Ten million inputs
# would take several hours with sanitizers; so they see those that reached something new.
fuzz: build/fuzz/built build/address/built
	$(BIN)/python native/tests/fuzz.py build/fuzz $(FUZZ_ONLY) --runs $(FUZZ_RUNS) \
		--solver-runs $$(($(FUZZ_RUNS) / 10))
	for folder in $$(find build/fuzz/found -mindepth 1 -type d -not -empty); do name=$$(basename $$folder); printf "%s with sanitizers: " $$name; \
		build/address/fuzz_$$name $$folder; done

# The same for a few seconds per harness. Without clang this is left out, and says so.
fuzz-briefly: $(VENV)/clang
	@test -s $(VENV)/clang || { echo "no clang with libFuzzer: the harnesses are not fuzzed; $(CLANG_REMEDY)"; exit 0; }; \
		$(MAKE) --no-print-directory build/fuzz/built && \
		$(BIN)/python native/tests/fuzz.py build/fuzz --seconds $(FUZZ_SECONDS)

# The corpus of each harness, as small as the edges that it reaches allow, with what fuzzing found since.
corpus: build/fuzz/built
	for harness in build/fuzz/fuzz_*; do name=$${harness#*/fuzz_}; rm -rf build/fuzz/merged/$$name; \
		mkdir -p build/fuzz/merged/$$name build/fuzz/found/$$name native/tests/corpus/$$name; \
		$$harness -set_cover_merge=1 -use_counters=0 -detect_leaks=0 -max_len=384 build/fuzz/merged/$$name native/tests/corpus/$$name \
			build/fuzz/found/$$name 2> build/fuzz/merge-$$name.log; \
		find native/tests/corpus/$$name -type f -not -name 'fault-*' -delete; \
		cp build/fuzz/merged/$$name/* native/tests/corpus/$$name; done

# Line and branch coverage of the package and of its kernels by the tests of `make quick` and all tests of pages, files
# and the shell: prints a table, and fails below what is asked. The kernels are measured where there is a clang; the
# table says so where there is none. On a full disk, coverage could not write what it measured.
coverage: build/coverage/installed
	rm -rf build/coverage/counts build/coverage/lines*
	$(COUNTED) MEDIR_PROFILE=quick MEDIR_DATA= build/coverage/bin/python -m coverage run -m pytest -q -n auto \
		--dist worksteal -m "not slow" $(COVERAGE_TESTS)
	$(COUNTED) MEDIR_PROFILE=quick MEDIR_DATA= build/coverage/bin/python -m coverage run -m pytest -q -n auto \
		--dist worksteal -m slow -k "not disk_that_is_full" tests/rendering tests/files tests/cli
	$(COUNTED) build/coverage/bin/python -m coverage combine -q
	$(COUNTED) build/coverage/bin/python native/tests/coverage_report.py build/coverage "$$(cat $(VENV)/clang)"

COUNTED = LLVM_PROFILE_FILE="$(CURDIR)/build/coverage/counts/%4m.profraw" COVERAGE_FILE="$(CURDIR)/build/coverage/lines"

# The native tests, and the tests of the module's inputs and measures, with the portable alternatives of
# native/medir/platform; and the same result, byte for byte, as without them.
portable: $(VENV)/installed
	$(BIN)/cmake -S . -B build/portable/native -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
		-DMEDIR_TESTS=ON -DMEDIR_PORTABLE=ON -DMEDIR_WERROR=ON
	$(BIN)/cmake --build build/portable/native
	$(call run-native-tests,build/portable/native,2000)
	rm -rf build/portable/site
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --target build/portable/site \
		-C cmake.define.MEDIR_PORTABLE=ON -C build-dir=build/portable/module .
	PYTHONPATH=build/portable/site $(BIN)/python -c "import medir._core as core; assert 'portable' in core.__file__"
	PYTHONPATH=build/portable/site $(BIN)/pytest -q -n auto --dist worksteal -m "not slow" \
		tests/test_bindings.py tests/inputs tests/measures
	cd examples && ../$(BIN)/medir compare before.run after.run -m nDCG@20 -m AP -m ERR -o ../build/portable/without.csv > /dev/null && \
		PYTHONPATH=../build/portable/site ../$(BIN)/python -m medir compare before.run after.run -m nDCG@20 -m AP -m ERR \
		-o ../build/portable/with.csv > /dev/null
	cmp build/portable/without.csv build/portable/with.csv

# All kernels for other systems, with zig's compiler. The native tests run where qemu runs their processor.
cross: $(CROSS:%=build/cross/%/built)
	@$(CAN_RUN_ARM) || $(call apt-install,qemu-user-static libc6-arm64-cross) || true
	@if $(CAN_RUN_ARM); then \
		$(call run-native-tests,build/cross/$(firstword $(CROSS)),500,$(QEMU) -L $(ARM_LIBRARIES)); \
	else echo "no $(QEMU) with $(ARM_LIBRARIES): the native tests for $(firstword $(CROSS)) are built, not run"; fi

CAN_RUN_ARM := { command -v $(QEMU) && ls $(ARM_LIBRARIES); } > $(VENV)/qemu.log 2>&1

build/cross/%/built: $(VENV)/cross-tools $(SOURCES)
	$(BIN)/cmake -S . -B build/cross/$* -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
		-DCMAKE_TOOLCHAIN_FILE=native/zig.cmake -DMEDIR_ZIG="$(CURDIR)/$(BIN)/python" -DMEDIR_TARGET=$* \
		-DMEDIR_TESTS=ON -DMEDIR_WERROR=ON > build/cross-$*.log
	$(BIN)/cmake --build build/cross/$* \
		$(if $(findstring linux,$*),,--target medir_kernels --target portable) >> build/cross-$*.log \
		|| { tail -50 build/cross-$*.log; exit 1; }
	@echo "$*: ok"
	@touch $@

# What gets released: the sdist, and from it alone one wheel for 3.11 and one for 3.12 and later.
wheels: build/dist/built

build/dist/built: $(VENV)/release-tools $(SOURCES)
	rm -rf build/dist
	$(BIN)/python -m build --sdist --outdir build/dist .
	$(foreach version,$(if $(call find-python,3.11),3.11) $(firstword $(ABI3_PYTHONS)),$(call find-python,$(version)) -m pip wheel --quiet \
		--no-deps -C cmake.define.MEDIR_WERROR=ON --wheel-dir build/dist build/dist/medir-*.tar.gz &&) true
	$(BIN)/twine check --strict build/dist/medir-*
	$(if $(ABI3_PYTHONS),$(BIN)/abi3audit --strict --summary build/dist/medir-*-abi3-*.whl)
	touch $@

# The one wheel for 3.12 and later, with every interpreter that is found: the demo's comparison with nothing but the wheel,
# then the quick tests. WHOLE=1 runs all tests.
test-wheels: $(ABI3_PYTHONS:%=test-wheel-%)
	@test -n "$(ABI3_PYTHONS)" || echo "no Python 3.12 or later: the wheel for them is not tested"

test-wheel-%: .venv-wheel-%/demo .venv-wheel-%/installed
	$(if $(WHOLE),,MEDIR_PROFILE=quick MEDIR_DATA=) .venv-wheel-$*/bin/pytest -q -n auto --dist worksteal \
		$(if $(WHOLE),,-m "not slow")

wheel-demo: $(ABI3_PYTHONS:%=.venv-wheel-%/demo)

.venv-wheel-%/demo: build/dist/built
	rm -rf .venv-wheel-$*
	$(call find-python,$*) -m venv .venv-wheel-$*
	.venv-wheel-$*/bin/pip install --quiet build/dist/medir-*-abi3-*.whl
	cd examples && ../.venv-wheel-$*/bin/medir compare before.run after.run --top 3
	touch $@

.venv-wheel-%/installed: .venv-wheel-%/demo
	.venv-wheel-$*/bin/pip install --quiet --upgrade "pip>=25.1"
	.venv-wheel-$*/bin/pip install --quiet --group test --group build
	.venv-wheel-$*/bin/pip install --quiet "$$(echo build/dist/medir-*-abi3-*.whl)$(EXTRAS)"
	touch $@

# The notation of measures under a fuzzer of Python: RUNS texts, the same ones for the same seed.
RUNS ?= 1000000
fuzz-notation: $(VENV)/installed
	$(BIN)/pip install --quiet --group fuzz-notation
	PYTHONPATH=. $(BIN)/python tests/measures/fuzz_notation.py -runs=$(RUNS) -max_len=256 -len_control=0 -seed=14 \
		-artifact_prefix=build/

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

# The site, from the package as it is installed: the reference comes from its commands and docstrings.
docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The pictures of the documentation that no longer show what they should. Those of pages need chromium.
pictures: $(VENV)/installed $(VENV)/browser
	$(BIN)/python docs/building/pictures.py

clean:
	rm -rf $(VENV) $(ENVIRONMENTS:%=.venv-%) .venv-wheel-* build site

# What builds, tests and checks the package.
$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --group build --group test --group lint --group docs
	touch $@

# The package as users get it: a wheel, installed. It takes the place of the developers' one.
$(VENV)/installed: build/wheel/built
	$(BIN)/pip install --quiet "$$(echo build/wheel/*.whl)$(EXTRAS)"
	$(BIN)/pip install --quiet --force-reinstall --no-deps build/wheel/*.whl
	rm -f $(VENV)/dev
	touch $@

$(VENV)/dev: $(VENV)/tools
	$(BIN)/pip install --quiet --no-build-isolation -C editable.rebuild=true -C editable.verbose=false -C build-dir=build/dev \
		-C cmake.define.MEDIR_WERROR=ON -e ".$(EXTRAS)"
	rm -f $(VENV)/installed
	touch $@

# Built once, for all environments.
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

# The native tests, built with sanitizers by the compiler at hand.
build/address/built build/thread/built: build/%/built: $(VENV)/tools $(NATIVE)
	$(CMAKE_BUILD) -DMEDIR_TESTS=ON -DMEDIR_SANITIZE=$(SANITIZERS_$*) -B build/$*
	$(BIN)/cmake --build build/$* --target $(TARGETS_$*)
	touch $@

SANITIZERS_address := address,undefined
SANITIZERS_thread := thread
TARGETS_address := all
TARGETS_thread := threads
CMAKE_BUILD = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" -DMEDIR_WERROR=ON

# The harnesses with libFuzzer, which only clang has.
build/fuzz/built: $(VENV)/tools $(VENV)/clang $(NATIVE)
	@test -s $(VENV)/clang || { echo "no clang with libFuzzer: $(CLANG_REMEDY)"; exit 1; }
	$(CMAKE_BUILD) -DMEDIR_FUZZ=ON -DCMAKE_CXX_COMPILER="$$(cat $(VENV)/clang)" \
		-B build/fuzz
	$(BIN)/cmake --build build/fuzz
	touch $@

# An environment on top of .venv, where the module is built with instruments. What .venv has can be imported, except
# for its own medir; what medir needs and .venv lacks is installed.
define ENVIRONMENT
	rm -rf build/$(1)
	$(BIN)/python -m venv build/$(1)
	$(BIN)/python -c "import site; print(site.getsitepackages()[0])" > \
		"$$(build/$(1)/bin/python -c "import site; print(site.getsitepackages()[0])")/below.pth"
	$(3) build/$(1)/bin/python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall \
		-C build-dir=build/$(1)/build -C cmake.define.$(2) -C install.strip=false .
	build/$(1)/bin/python -m pip install --quiet "medir$(EXTRAS)"
endef

build/address-python/installed build/thread-python/installed: build/%-python/installed: $(VENV)/tools $(SOURCES)
	$(call ENVIRONMENT,$*-python,MEDIR_SANITIZE=$(SANITIZERS_$*))
	$(if $(filter thread,$*),echo 'import sys; sys.modules["polars"] = None' > "$$(echo build/$*-python/lib/python*/site-packages)/no-polars.pth")
	touch $@

# The environment of a process whose module has sanitizers in it.
SANITIZED = LD_PRELOAD="$$($(CXX) -print-file-name=lib$(1).so) $$($(CXX) -print-file-name=libstdc++.so.6)" PYTHONMALLOC=malloc MEDIR_PROFILE=quick MEDIR_DATA=

build/coverage/installed: $(VENV)/tools $(VENV)/clang $(SOURCES) $(NATIVE)
	$(call ENVIRONMENT,coverage,MEDIR_COVERAGE=$$(test -s $(VENV)/clang && echo ON || echo OFF),env $$(sed s/^/CXX=/ $(VENV)/clang))
	echo "import coverage; coverage.process_startup()" >> "$$(echo build/coverage/lib/python*/site-packages)/below.pth"
	touch $@

# The clang to fuzz and to measure coverage with, in this file: Debian's, where there is none and this may install it.
# Without one the file is empty.
$(VENV)/clang: $(VENV)/tools
	@$(FIND_CLANG) > $@ || { $(INSTALL_CLANG) && $(FIND_CLANG) > $@; } || : > $@

FIND_CLANG := ( for clang in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do \
	echo "extern \"C\" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }" | \
	$$clang -x c++ -fsanitize=fuzzer,address -o /dev/null - 2> /dev/null && command -v $$clang && exit 0; done; exit 1 )
INSTALL_CLANG := { test "$$(id -u)" = 0 && command -v apt-get && \
	{ apt-get install -qq -y clang llvm || { apt-get update -qq && apt-get install -qq -y clang llvm; }; }; \
	} > $(VENV)/clang.log 2>&1
CLANG_REMEDY := install it with: apt-get install clang llvm

# A browser for the tests of the report: Debian's, where there is none and this may install it.
# Without one these tests are skipped, and say so.
$(VENV)/browser: $(VENV)/tools
	@command -v chromium || $(call apt-install,chromium) || echo "no chromium: the report is not tested in it"
	touch $@

apt-install = { test "$$(id -u)" = 0 && command -v apt-get && \
	{ apt-get install -qq -y $(1) || { apt-get update -qq && apt-get install -qq -y $(1); }; }; \
	} > $(VENV)/$(firstword $(1)).log 2>&1

$(VENV)/cross-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group cross
	touch $@

$(VENV)/release-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group release
	touch $@

$(VENV)/mutation-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group mutation
	touch $@

$(VENV)/bench-tools: $(VENV)/tools
	$(BIN)/pip install --quiet --group bench
	$(BIN)/pip install --quiet --no-deps rbo  # it asks for a numpy older than it needs
	touch $@
