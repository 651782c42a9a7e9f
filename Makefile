PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup demo test test-long test-real check eval release-check golden recordings bench serve docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 11

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

setup: $(STAMP) ## create .venv and install

demo: $(STAMP) ## the demo organisation: review its 50 questions offline, show what is blocked and why
	@rm -rf .demo
	@$(BIN)/trustops init .demo --demo
	@$(BIN)/trustops review .demo/questionnaire.xlsx -w .demo
	@echo && $(BIN)/trustops show Q-005 -w .demo
	@echo "How the run compares with what a careful person would answer (golden/acme/truth.yaml):"
	@$(BIN)/trustops eval run .demo/questionnaire.xlsx --truth golden/acme/truth.yaml -w .demo --no-drills
	@echo "Next: trustops approve Q-001@1 --by \"Imke Aldersley\" -w .demo; trustops export -w .demo -o out --to \"Harborview Mutual\""

test: $(STAMP) ## the whole test suite
	$(BIN)/pytest

test-long: $(STAMP) ## the full counts: histories, kills, races, attacks (under an hour)
	$(BIN)/pytest -m long -o faulthandler_timeout=0

test-real: $(STAMP) ## five real calls a question by a small model on this machine, where it is installed (docs/local-model.md)
	$(BIN)/pytest -m live -n 0 -s -rs tests/live

check: $(STAMP) ## format, lint, types, floors
	$(BIN)/ruff format --check trustops tests benchmarks
	$(BIN)/ruff check trustops tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

eval: $(STAMP) ## every offline suite of the evaluation, with its report
	$(BIN)/trustops eval run

release-check: $(STAMP) ## the suites and the release blockers; LIVE=DIR names the workspace where Q-005 was reviewed by a real model
	$(BIN)/trustops eval release-check $(if $(LIVE),--live $(LIVE))

golden: $(STAMP) ## grade the demo organisation against its truth file
	$(BIN)/trustops eval run --truth golden/acme/truth.yaml -w golden/acme/workspace golden/acme/questionnaire.xlsx --model-answers

recordings: $(STAMP) ## make the shipped recordings of Q-005 anew
	$(BIN)/trustops replay Q-005 --record golden/recordings

bench: $(STAMP) ## measurements; see benchmarks/README.md
	$(BIN)/python benchmarks/run.py

serve: $(STAMP) ## the API on 127.0.0.1:8700 for the demo workspace
	$(BIN)/trustops serve -w .demo

docs: $(STAMP) ## write the generated documents
	$(BIN)/python -m trustops.workflow.drawing > docs/state-machine.md

clean: ## remove what was made
	rm -rf $(VENV) .demo build dist
