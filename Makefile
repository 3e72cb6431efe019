# Short names for what is done often. The build itself is CMake: cmake --preset release
JOBS ?= 2
BUILD ?= build
FUZZ_SECONDS ?= 60
TARN = $(BUILD)/release/tarn
export JOBS BUILD FUZZ_SECONDS
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help setup demo test lanes release debug asan tsan wasm fuzz sweep storms bench peers check docs performance pictures gallery \
	references pops browser readers format format-check install clean

help: ## this list
	@echo "Tarn: real-time fluids for games. What make can do:"
	@sed -n 's/^\([a-z][a-z -]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: ## install the Debian packages that are missing (needs root or sudo)
	@scripts/setup.sh

demo: release ## build, run the flagship scene, leave a film and a picture in out/
	@mkdir -p out
	$(TARN) run flagship --video out/demo.mp4 --sheet out/demo.png
	@echo "The film is out/demo.mp4, its frames on one sheet are out/demo.png"

test: ## optimized build, all tests of it, packaging (12 minutes at most); ends in a line "N passed, N failed"
	@scripts/setup.sh core tests apps
	@scripts/test.sh

lanes: ## the rest that must hold: clang, sanitizers, WebAssembly, browser, samples of sweep and fuzzers (28 minutes)
	@scripts/setup.sh core tests apps wasm browser
	@FUZZ_SECONDS=10 scripts/test.sh lanes

release: ## optimized, with gcc, into build/release
	@scripts/setup.sh core tests apps
	@$(call build,release)

debug: ## for the debugger
	@scripts/setup.sh core tests apps
	@$(call build,debug)

asan: ## with the address and undefined-behavior sanitizers, and run the tests
	@scripts/setup.sh core tests apps
	@$(call build,asan)
	@ctest --test-dir $(BUILD)/asan --output-on-failure -j$(JOBS)

tsan: ## with the thread sanitizer, and run the tests that use threads
	@scripts/setup.sh core tests apps
	@$(call build,tsan)
	@ctest --test-dir $(BUILD)/tsan --output-on-failure -j2 -L 'threads|golden|examples'

wasm: ## as WebAssembly, and run its tests under node
	@scripts/setup.sh core wasm
	@export NODE_PATH=/usr/share/nodejs; $(call build,wasm) && \
		ctest --test-dir $(BUILD)/wasm --output-on-failure -j2

browser: release ## draw scenes in a browser (WebGL 2), and compare them with those of the command line
	@scripts/setup.sh core wasm browser
	@export NODE_PATH=/usr/share/nodejs; $(call build,wasm) --target browser_page
	@scripts/browser.sh $(TARN) $(BUILD)/release/tests/compare_pictures $(BUILD)/wasm/browser

fuzz: ## each fuzzer for FUZZ_SECONDS (60)
	@scripts/setup.sh core tests apps
	@$(call build,fuzz) --target fuzzers
	@scripts/fuzz.sh $(BUILD)/fuzz

SWEEP_SEED ?= $(shell git rev-list --count HEAD 2>/dev/null || echo 0)
sweep: ## each parameter of each scene at its bounds and at random (hours; SWEEP_SECONDS=60: a sample that each commit shuffles)
	@scripts/setup.sh core
	@$(call build,release) --target sweep_scenes
	@$(BUILD)/release/tests/sweep_scenes --jobs $(JOBS) --seed $(SWEEP_SEED) $(if $(SWEEP_SECONDS),--seconds $(SWEEP_SECONDS))

storms: ## worlds of random solvers that come and go: STORMS (2000) of them, from STORM_SEED (1) on
	@scripts/setup.sh core
	@$(call build,release) --target test_world_storms
	@TARN_STORMS=$(or $(STORMS),2000) TARN_STORM_SEED=$(or $(STORM_SEED),1) $(BUILD)/release/tests/test_world_storms

bench: release ## measure every solver on this machine
	$(TARN) bench

peers: ## measure marching cubes beside VTK's, in the same run (installs libvtk9-dev)
	@scripts/setup.sh core tests apps peers
	@cmake --preset release -B $(BUILD)/peers -DTARN_PEERS=ON && cmake --build $(BUILD)/peers --target tarn_cli
	$(BUILD)/peers/tarn bench mesh.

check: release ## compare every solver with theory and measurement
	$(TARN) check

readers: release ## open meshes in assimp, Blender, three.js and the glTF validator, where they are there
	@scripts/mesh_readers.sh $(TARN)

docs: release ## write the parameter tables of the docs anew, from `tarn describe`
	@scripts/docs_tables.sh $(TARN)

performance: release ## measure, and write docs/performance.md anew
	@scripts/performance.sh $(TARN)

references: release ## make the reference pictures of the tests anew, after a look at what changed
	@tests/pictures/run.sh $(TARN) $(BUILD)/release/tests/compare_pictures $(BUILD)/release/tests/pictures --update

pops: release ## draw a short film of each scene, or of SCENES, and say where it pops or flickers
	@tests/pictures/pops.sh $(TARN) $(BUILD)/release/tests/film_pops $(BUILD)/release/tests/films $(SCENES)

gallery: release ## a picture of each scene (five minutes), and docs/gallery.md
	@scripts/gallery.sh $(TARN) --pictures

pictures: release ## make all pictures of README and docs anew, into docs/images
	@scripts/pictures.sh $(TARN)
	@scripts/gallery.sh $(TARN)

format: ## format all C files
	@scripts/setup.sh core
	@scripts/format.sh

format-check: ## say which C files are not formatted
	@scripts/setup.sh core
	@scripts/format.sh --check

install: release ## install to PREFIX (/usr/local), below DESTDIR if that is set
	@cmake --install $(BUILD)/release $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove build/ and out/
	@rm -rf build out

# Configures each time (an instant when nothing changed), then builds.
build = mkdir -p $(BUILD); cmake --preset $(1) -B $(BUILD)/$(1) > $(BUILD)/$(1).configure.log || \
	{ cat $(BUILD)/$(1).configure.log; exit 1; }; cmake --build $(BUILD)/$(1)
