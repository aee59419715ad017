.PHONY: help setup run demos films test test-quick test-portable coverage test-vendor test-app space test-arm64 test-lerobot test-models test-extras test-api test-github test-sandbox check format bench soak stranger dist test-wheel sbom licences audit lint-workflows release endurance test-container test-packaging docs docs-serve lock clean

unexport PYTHONDONTWRITEBYTECODE # without bytecode every process of a test compiles what it imports: twice as slow

help:            ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t 12

setup:           ## build .venv and fetch what is needed (does nothing when all is there)
	@script/setup

run:             ## wake a robot (simulated unless ARGS="--robot HOST") and show it live
	@script/setup run
	@.venv/bin/reachy-mind run $(ARGS)

test: setup      ## lint, types, import contract, all tests
	@$(MAKE) --no-print-directory check
ifdef ARGS
	@.venv/bin/python -m pytest -n 3 --dist loadfile $(ARGS)
else
	@script/test
endif

test-quick: setup ## the tests that start no process, simulator or browser: a minute (ARGS="tests/body -k pose" for some)
	@.venv/bin/python -m pytest -n 3 --dist worksteal -m "not process and not simulator and not slow" $(ARGS)

test-portable: setup ## a small part of the tests on the ways that every system has (docs/platforms.md): half a minute
	@script/test portable

coverage: setup ## all tests, with the coverage of src (half as slow again: every process of ours is traced)
	@.venv/bin/python -m pytest -n 3 --dist loadfile --cov=reachy_mind --cov-report=term:skip-covered --cov-fail-under=80 $(ARGS)

test-vendor: setup ## the conformance suite, on our simulator and on the vendor's own daemon
	@script/test-vendor

test-app: setup  ## the app under the vendor's own daemon: listed, started, used and stopped, ten times (APP_TIMES)
	@script/test-app $(ARGS)

space: setup     ## the app's Space, ready to be published, in dist/space (docs/reachy-mini-app.md)
	@.venv/bin/python script/build-space

test-arm64: setup ## the wheel on 64-bit ARM, emulated: doctor, a request, speech (Debian, root; 5 minutes and 1 GB the first time)
	@script/test-arm64

test-lerobot: setup ## our datasets of demonstrations, read and written by LeRobot's own code (installed in .lerobot, 1.4 GB)
	@script/test-lerobot $(ARGS)

test-container: setup ## the images of packaging/docker: every step in a chroot, both servers started and asked (Debian, root; 15 minutes and 9 GB the first time)
	@script/test-container

test-packaging: setup ## Dockerfile, compose, manifests, units, alert rules, checked by the programs that read them (installed in .packaging)
	@script/test-packaging

test-models: setup ## what needs pulled models: tests, and figures (brings xllamacpp, faster-whisper and 1.4 GB)
	@.venv/bin/python -c 'import xllamacpp' 2>/dev/null || \
	  .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock xllamacpp
	@.venv/bin/python -c 'import faster_whisper' 2>/dev/null || \
	  .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock faster-whisper
	@for asset in chat piper-voice kokoro-voice whisper-base wake-words yolov4-tiny embeddings; do \
	  .venv/bin/reachy-mind models pull $$asset || exit 1; done
	@.venv/bin/python -m pytest tests/bench/test_language_model.py tests/brains/test_pulled_model.py tests/eyes tests/memory tests/speech $(ARGS)
	@.venv/bin/reachy-mind bench reflex
	@.venv/bin/reachy-mind bench speech
	@.venv/bin/reachy-mind bench memory

test-extras: setup ## the tests of optional parts (learning, cluster, gpu, local-vision, claude: brings torch, gymnasium, tensorboard, ray, mujoco-warp, transformers and the Claude Agent SDK when missing)
	@.venv/bin/python -c 'import torch' 2>/dev/null || .venv/bin/python -m pip install --quiet 'torch==2.13.0'
	@.venv/bin/python -c 'import gymnasium, tensorboard, ray.tune, mujoco_warp' 2>/dev/null || \
	  .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock gymnasium tensorboard 'ray[tune]' mujoco-warp
	@.venv/bin/python -c 'import transformers' 2>/dev/null || \
	  .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock transformers
	@.venv/bin/python -c 'import anthropic, claude_agent_sdk' 2>/dev/null || \
	  .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock anthropic claude-agent-sdk
	@.venv/bin/python -m pytest tests/learning tests/bench/test_learning_tasks.py tests/server/test_training.py tests/eyes/test_vision_model_local.py \
	  tests/brains/claude $(ARGS)

test-api: setup  ## the API against its own description, at length (schemathesis)
	@TEST_API_EXAMPLES=$${TEST_API_EXAMPLES:-50} .venv/bin/python -m pytest --timeout 1800 tests/server/test_openapi.py $(ARGS)

test-github: setup ## the answers of the fake GitHub, compared with GitHub's own description (installed in .githubkit, 42 MB)
	@script/test-github-fake

test-sandbox: setup ## every hostile and honest file of the corpora in every isolation profile (ten minutes)
	@.venv/bin/python -m pytest -m sweep tests/workshop $(ARGS)

demos: setup     ## the demonstrations (`reachy-mind demo`), performed and checked: some minutes
	@.venv/bin/python -m pytest -m "demo or not demo" tests/demo $(ARGS)

films: setup     ## films the demonstrations for docs/demos.md and the README, in real time: leave the machine alone (brings av)
	@.venv/bin/python -c 'import av' 2>/dev/null || .venv/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock av
	@.venv/bin/python script/make-films $(ARGS)

check: setup     ## lint, format, strict types (for Linux, macOS and Windows), import contract
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/python script/check-platforms
	@.venv/bin/lint-imports --config pyproject.toml

format: setup    ## format and fix what can be fixed
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .

bench: setup     ## every benchmark, as JSON
	@.venv/bin/reachy-mind bench --all --json

soak: setup      ## a spoken conversation of ten minutes in the simulator (ARGS="--minutes 3"): nothing missed, memory flat
	@.venv/bin/python -m reachy_mind.bench.soak $(ARGS)

dist: setup      ## wheel and source distribution of the last commit, built twice and compared, into dist/ (docs/releasing.md)
	@.venv/bin/python script/dist

test-wheel: setup ## the wheel of dist/ in an environment of its own: installed, asked, run (docs/releasing.md)
	@.venv/bin/python script/test-wheel $(ARGS)

licences: setup  ## licences of the locked packages, into docs/licences.md; no GPL in what make run installs
	@.venv/bin/python packaging/release/licences.py

sbom: setup .release/.made ## software bills of materials of the core and of all extras, into dist/
	@.venv/bin/python packaging/release/sbom.py

audit: setup .release/.made ## the locked packages, Python and npm, against databases of known vulnerabilities
	@.venv/bin/python packaging/release/audit.py

lint-workflows: setup .release/.made ## the workflows for GitHub against their schema, and against a security linter
	@script/lint-workflows

release: setup   ## checks, builds, tries and tags this commit (VERSION=0.2.0); publishes nothing (docs/releasing.md)
	@.venv/bin/python script/release $(VERSION)

stranger: setup  ## a newcomer's path from the wheel to a fleet, with a report and pictures (docs/strangers-path.md)
	@.venv/bin/python script/stranger $(ARGS)

.release/.made: packaging/release/tools.txt
	@.venv/bin/uv venv --quiet --clear --python .venv/bin/python .release
	@.venv/bin/uv pip install --quiet --python .release/bin/python --require-hashes -r packaging/release/tools.txt
	@touch $@

endurance: setup ## an hour of mixed use with random faults; writes the tables of docs/soak.md (ARGS="--seed 2")
	@.venv/bin/reachy-mind bench endurance --seconds 3600 --report docs/soak.md $(ARGS)

lock: setup      ## resolve all extras anew into requirements.lock
	@script/lock

docs: setup      ## the documentation site, into build/site: a broken link or a page outside the navigation is an error
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict

docs-serve: setup ## the site at http://127.0.0.1:8000, built again when a page changes
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs serve --livereload --no-strict $(ARGS)

clean:           ## remove what setup and the tools made
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* .vendor .app .container .lerobot .packaging .githubkit .release src/reachy_mind/server/web/vendor website/vendor build/site
