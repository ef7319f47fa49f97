# What a newcomer needs: `make demo`, `make test`. Each sets up what is missing, on Debian and its kin.
PYTHON ?= python3
BIN := .venv/bin
# what the demo needs · everything that is needed to work on the code
CORE := .venv/.core
STAMP := .venv/.ready
# Python compiles each module when it is first imported. Where it may not keep the result, every start compiles all of them.
unexport PYTHONDONTWRITEBYTECODE
RUNS := demo/logs
# rows of the demo: a quarter of the test rows; `make demo SPLIT=full` takes all
SPLIT ?= quarter
# uv with the index, certificates and proxy of pip.conf, which uv does not read by itself
UV := $(BIN)/python -m mlbench.repositories.uv_client
# whole files of tests side by side: one process more than there are processors, as tests often wait for sandboxes;
# `make test JOBS=1` for one at a time
JOBS ?= $(shell echo $$(( $$(nproc) + 1 )))
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder
REAL := .venv-real-model
DOCS := .venv-docs
# a version for which pip finds a build without CUDA, if there is one for this machine
TORCH ?= torch==2.13.0

.PHONY: demo test test-all test-training attacks check docs bench bench-experiments real-model lock lock-agents clean

demo: $(CORE)  ## three baselines on a part of the bundled suite, a table, and a report
	@rm -rf $(RUNS)
	$(BIN)/mlbench eval pocket --split $(SPLIT) --model mlbench/nothing --log-dir $(RUNS) --display plain
	$(BIN)/mlbench eval pocket --split $(SPLIT) --model mlbench/copycat --log-dir $(RUNS) --display plain
	$(BIN)/mlbench eval pocket --split $(SPLIT) --model mlbench/gold --log-dir $(RUNS) --display plain
	$(BIN)/mlbench report $(RUNS) -o demo/report

test: $(STAMP)  ## the fast tests
	$(PYTEST)

test-all: $(STAMP)  ## also those that take minutes
	$(PYTEST) -m ''

test-training: $(STAMP) .venv-train/.ready  ## fine-tuning with the real libraries, on a tiny model: torch is half a gigabyte
	.venv-train/bin/python -m pytest -m training

.venv-train/.ready: $(STAMP)
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/pip install --quiet --disable-pip-version-check $(TORCH) -e '.[train,parquet,report]' pytest
	@touch $@

attacks: $(STAMP)  ## every attack on the judge and on the sandbox, as a table
	$(BIN)/python -m tests.attacks.run_attacks
	$(BIN)/python -m tests.mlagentbench.attack_experiments

check: $(STAMP)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP) $(DOCS)/.ready  ## the documentation as a site: site/index.html, which needs no network
	$(BIN)/python tools/make_cli_reference.py
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict

$(DOCS)/.ready: docs/requirements.txt | $(STAMP)
	$(PYTHON) -m venv --without-pip $(DOCS)
	$(UV) pip install --quiet --python $(DOCS)/bin/python --require-hashes -r $<
	@touch $@

bench: $(STAMP)  ## the figures that the README states
	$(BIN)/python -m benchmarks.run

bench-experiments: $(STAMP)  ## what must hold of the thirteen experiments: an hour, on a machine that does nothing else
	$(BIN)/python -m benchmarks.experiments

real-model: $(STAMP) $(REAL)/.ready  ## a small model, served on one thread: 100 rows, two answers each; half an hour
	$(BIN)/python -m benchmarks.real_model

$(REAL)/.ready: benchmarks/real_model.txt
	$(PYTHON) -m venv --without-pip $(REAL)
	$(PYTHON) -m pip --quiet --disable-pip-version-check --python $(REAL)/bin/python install --no-deps --require-hashes -r $<
	@touch $@

# pip installs uv and what $(UV) imports; uv installs the rest at once, and compiles none of its 20,000 modules
UV_NEEDS := uv|platformdirs|pydantic|pydantic-core|annotated-types|typing-extensions|typing-inspection
UV_INSTALL := $(UV) pip install --quiet --python $(BIN)/python

$(CORE): requirements.txt pyproject.toml | system
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --without-pip .venv
	@sed -nE '/^($(UV_NEEDS))==/,/[^\\]$$/p' requirements.txt > .venv/uv.txt
	$(PYTHON) -m pip --quiet --disable-pip-version-check --python $(BIN)/python install --no-compile --require-hashes -r .venv/uv.txt
	PYTHONPATH=src $(UV_INSTALL) --require-hashes -c requirements.txt --extra report --group build -r pyproject.toml
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --offline -e .
	@touch $(CORE)

# compiled, because tests start many processes, some of them where nothing may be written;
# by Python itself, as uv compiles only what it installs now
$(STAMP): $(CORE)
	$(UV_INSTALL) --require-hashes -r requirements.txt
	$(BIN)/python -m compileall -q -j 0 .venv/lib
	@touch $(STAMP)

.PHONY: system
system:  ## bubblewrap, from the system's package manager where we may
	@if ! command -v bwrap >/dev/null; then \
		if [ "$$(id -u)" = 0 ]; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; else sudo=none; fi; \
		if [ "$$sudo" = none ] || ! command -v apt-get >/dev/null; then \
			echo "bubblewrap is missing. Type: sudo apt-get install bubblewrap   (or your system's like), then make again" >&2; exit 1; \
		fi; \
		$$sudo apt-get update -qq && $$sudo apt-get install -y -qq bubblewrap >/dev/null; \
	fi

lock:  ## pin everything anew, by name, version and hash
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
		--extra parquet --extra report --extra openai --group dev pyproject.toml -o requirements.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
		src/mlbench/suites/data/pocket/requirements.in -o src/mlbench/suites/data/pocket/requirements.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
		src/mlbench/interface_check/runtime/requirements.in -o src/mlbench/interface_check/runtime/requirements.txt
	$(BIN)/uv pip compile --quiet --universal --no-deps --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--python-version 3.11 benchmarks/real_model.in -o benchmarks/real_model.txt
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
		docs/requirements.in -o docs/requirements.txt

lock-agents: $(STAMP)  ## the newest releases of all foreign agents, by name, version and hash; needs npm
	$(BIN)/python tools/lock_agents.py $(AGENTS)

clean:
	rm -rf .venv .venv-train $(REAL) $(DOCS) site demo report logs
