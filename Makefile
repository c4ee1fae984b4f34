# Kikigaki. `make` alone lists the targets; `make demo` and `make test` do all set-up themselves.

PYTHON ?= python3.11
VENV   := .venv
BIN    := $(VENV)/bin
NICE   := nice
PIP    := $(BIN)/pip --disable-pip-version-check install --quiet

.DEFAULT_GOAL := help
.PHONY: help setup setup-test demo serve test chaos lint format bench eval lock clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | expand -t 14

setup: $(VENV)/.runtime ## Make the virtual environment with the locked dependencies and default models

setup-test: $(VENV)/.test ## The same, plus what tests need (Chromium, PostgreSQL, fonts, tools)
	@bash .ci/system-packages

$(VENV)/.runtime: requirements.lock requirements-torch.lock pyproject.toml
	@echo "Setting up $(VENV): about 1.4 GB, a few minutes the first time" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --no-deps --require-hashes -r requirements.lock
	@$(PIP) -r requirements-torch.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: $(VENV)/.runtime requirements-test.lock
	@$(PIP) --no-deps --require-hashes -r requirements-test.lock
	@touch $@

demo: setup ## Take a bundled recording to the review page (APPROVE=1: approve and publish it too)
	@$(BIN)/kikigaki demo $(if $(APPROVE),--approve)

serve: setup ## Start web, worker and the embedded stores
	@$(BIN)/kikigaki serve

test: setup-test lint ## The whole suite, set-up included, in two processes (ARGS=: what to run instead)
	@$(BIN)/pytest $(or $(ARGS),-n 2 --dist loadfile)

chaos: setup-test ## Kill processes and servers at random for five minutes (SEED=n, DURATION=seconds)
	@$(NICE) $(BIN)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) $(if $(DURATION),--duration $(DURATION))

lint: $(VENV)/.test ## Style, types, import directions, templates, dependencies
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/djlint --lint --quiet review_ui/templates pipeline/steps/templates
	@$(BIN)/deptry . > $(VENV)/deptry.log 2>&1 || { cat $(VENV)/deptry.log; exit 1; }

format: $(VENV)/.test ## Format the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

bench: setup-test ## Ratios, measured side by side in one run
	@$(NICE) $(BIN)/python -m tests.bench

eval: setup ## Measure on a folder laid out like the evaluation data: make eval DATA=dir
	@test -n "$(DATA)" || { echo "usage: make eval DATA=dir" >&2; exit 2; }
	@for part in asr media pii summary checks documents; do $(BIN)/kikigaki eval $$part --data "$(DATA)" || exit 1; done

lock: $(VENV)/.test ## Write the lock files from the environment
	@$(BIN)/python .ci/lock.py

clean: ## Remove the virtual environment and what tests left behind (never .kikigaki)
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
