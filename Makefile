# Short names for frequent tasks. The build itself is CMake: cmake --preset release
JOBS ?= 2
BUILD ?= build
FUZZ_SECONDS ?= 60
TARN = $(BUILD)/release/tarn
export JOBS BUILD FUZZ_SECONDS
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help setup demo view test-view test lanes release debug clang asan tsan wasm fuzz sweep storms bench peers check docs performance pictures gallery \
	references pops browser web serve test-web hashes-web bench-web pack readers format format-check install clean

help: ## show this list
	@echo "Tarn: real-time fluids for games. Targets:"
	@sed -n 's/^\([a-z][a-z -]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: ## install missing Debian packages (needs root or sudo)
	@scripts/setup.sh

demo: release ## build, run the flagship scene, and write a video and a contact sheet to out/
	@mkdir -p out
	$(TARN) run flagship --video out/demo.mp4 --sheet out/demo.png
	@echo "The video is out/demo.mp4, the contact sheet out/demo.png"

view: ## open the viewer; SCENE=harbor begins with that one
	@scripts/setup.sh core tests apps view
	@$(call build,release) --target tarn_cli tarn_viewer
	$(TARN) view $(SCENE)

test-view: ## drive the viewer under Xvfb with real events, through every scene; PICTURES=docs/images renews its pictures
	@scripts/setup.sh core tests apps view
	@$(call build,release) --target tarn_cli tarn_viewer test_play test_play_scenes
	$(BUILD)/release/tests/test_play
	$(BUILD)/release/tests/test_play_scenes
	tests/viewer/run.sh $(TARN) $(if $(PICTURES),--pictures $(PICTURES))

test: ## build optimized, run its tests and packaging (about 12 minutes); the last line is "N passed, N failed"
	@scripts/setup.sh core tests apps
	@scripts/test.sh

lanes: ## run all other checks: storms, pictures, clang, sanitizers, WebAssembly, browser, playground, viewer, short sweep and fuzzing (half an hour)
	@scripts/setup.sh core tests apps view wasm web browser
	@FUZZ_SECONDS=10 scripts/test.sh lanes

release: ## build optimized with gcc into build/release
	@scripts/setup.sh core tests apps
	@$(call build,release)

debug: ## build for the debugger
	@scripts/setup.sh core tests apps
	@$(call build,debug)

clang: ## build optimized with clang, and run the unit tests, the renderer's and all golden hashes
	@scripts/setup.sh core tests apps
	@$(call build,clang)
	@ctest --test-dir $(BUILD)/clang --output-on-failure -j$(JOBS) -L 'unit|render|golden'

asan: ## build with the address and undefined-behavior sanitizers, and run the tests at full length
	@scripts/setup.sh core tests apps
	@$(call build,asan)
	@TARN_LONG=1 ctest --test-dir $(BUILD)/asan --output-on-failure -j$(JOBS)

tsan: ## build with the thread sanitizer, and run the tests that use threads at full length
	@scripts/setup.sh core tests apps
	@$(call build,tsan)
	@TARN_LONG=1 ctest --test-dir $(BUILD)/tsan --output-on-failure -j2 -L 'threads|golden|examples'

wasm: ## build as WebAssembly, and run its tests under node
	@scripts/setup.sh core wasm
	@export NODE_PATH=/usr/share/nodejs; $(call build,wasm) && \
		ctest --test-dir $(BUILD)/wasm --output-on-failure -j2

browser: release ## draw scenes in a browser (WebGL 2), and compare them with native pictures
	@scripts/setup.sh core wasm browser
	@export NODE_PATH=/usr/share/nodejs; $(call build,wasm) --target browser_page
	@scripts/browser.sh $(TARN) $(BUILD)/release/tests/compare_pictures $(BUILD)/wasm/browser

PORT ?= 8080
web: ## build the playground and the npm package into build/web
	@scripts/setup.sh core wasm web
	@$(web_modules)
	@node apps/web/build.mjs $(BUILD)/wasm/web $(BUILD)/web

serve: web ## serve the playground on localhost:PORT (8080), with threads
	@node apps/web/serve.mjs $(BUILD)/web $(PORT)

pack: web ## make the npm package, build/web/package/tarn-fluids-VERSION.tgz
	@cd $(BUILD)/web/package && npm pack --silent

test-web: web ## drive the playground in a browser, all scenes; state hashes native, wasm and wasm with threads (half an hour); PART=scenes SCENES="beach harbor" a part of it
	@scripts/setup.sh browser
	@$(call build,release) --target tarn_cli
	@scripts/test_web.sh $(TARN) $(BUILD)/web $(PART)

hashes-web: web ## compare state hashes native, wasm and wasm with threads over 300 steps; SCENES="beach harbor" these scenes
	@$(call build,release) --target tarn_cli
	@node tests/web/hashes.mjs $(BUILD)/web $(TARN) $(SCENES)

bench-web: web ## measure the playground against native: steps and frames per second
	@scripts/setup.sh browser
	@$(call build,release) --target tarn_cli
	@scripts/test_web.sh $(TARN) $(BUILD)/web --bench

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@scripts/setup.sh core tests apps
	@$(call build,fuzz) --target fuzzers
	@scripts/fuzz.sh $(BUILD)/fuzz

SWEEP_SEED ?= $(shell git rev-list --count HEAD 2>/dev/null || echo 0)
sweep: ## test each parameter of each scene at its bounds and at random values (hours; SWEEP_SECONDS=60 runs a sample)
	@scripts/setup.sh core
	@$(call build,release) --target sweep_scenes
	@$(BUILD)/release/tests/sweep_scenes --jobs $(JOBS) --seed $(SWEEP_SEED) $(if $(SWEEP_SECONDS),--seconds $(SWEEP_SECONDS))

storms: ## storms at full length: particles in shaken cups, damaged snapshots and round trips of all scenes for STORM_SECONDS (300) each, STORMS (2000) worlds of solvers that come and go, from STORM_SEED (1) on
	@scripts/setup.sh core
	@$(call build,release) --target test_world_storms test_solids_storms test_resealed test_round_trip
	@TARN_LONG=1 $(BUILD)/release/tests/test_solids_storms
	@$(BUILD)/release/tests/test_resealed $(or $(STORM_SECONDS),300)
	@$(BUILD)/release/tests/test_round_trip $(or $(STORM_SECONDS),300)
	@TARN_STORMS=$(or $(STORMS),2000) TARN_STORM_SEED=$(or $(STORM_SEED),1) $(BUILD)/release/tests/test_world_storms

bench: release ## measure every solver on this machine
	$(TARN) bench

peers: ## benchmark marching cubes against VTK's, transforms against FFTW's, and a dam break beside LiquidFun's figures (installs libvtk9-dev, libfftw3-dev)
	@scripts/setup.sh core tests apps peers
	@cmake --preset release -B $(BUILD)/peers -DTARN_PEERS=ON && cmake --build $(BUILD)/peers --target tarn_cli
	$(BUILD)/peers/tarn bench mesh.
	$(BUILD)/peers/tarn bench linear.fft
	$(BUILD)/peers/tarn bench liquid.peer

check: release ## compare every solver with theory and measurements
	$(TARN) check

readers: release ## open meshes in assimp, Blender, three.js and the glTF validator, if installed
	@scripts/mesh_readers.sh $(TARN)

docs: release ## update the parameter tables of the docs from `tarn describe`
	@scripts/docs_tables.sh $(TARN)

performance: release ## run the benchmarks, and update docs/performance.md
	@scripts/performance.sh $(TARN)

references: release ## render the reference pictures of the tests again; look at the changes first
	@tests/pictures/run.sh $(TARN) $(BUILD)/release/tests/compare_pictures $(BUILD)/release/tests/pictures --update

pops: release ## render a short video of each scene, or of SCENES, and report pops and flicker
	@tests/pictures/pops.sh $(TARN) $(BUILD)/release/tests/film_pops $(BUILD)/release/tests/films $(SCENES)

gallery: release ## render a picture of each scene (five minutes), and update docs/gallery.md
	@scripts/gallery.sh $(TARN) --pictures

pictures: release ## render all pictures of README and docs into docs/images
	@scripts/pictures.sh $(TARN)
	@scripts/gallery.sh $(TARN)

format: ## format all C files
	@scripts/setup.sh core
	@scripts/format.sh

format-check: ## list C files that are not formatted
	@scripts/setup.sh core
	@scripts/format.sh --check

install: release ## install to PREFIX (/usr/local), below DESTDIR if that is set
	@cmake --install $(BUILD)/release $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove build/ and out/
	@rm -rf build out

web_modules = export NODE_PATH=/usr/share/nodejs; $(call build,wasm) --target web_modules
# Configures every time (fast if nothing changed), then builds.
build = mkdir -p $(BUILD); cmake --preset $(1) -B $(BUILD)/$(1) -DTARN_QUICK_LINK=OFF > $(BUILD)/$(1).configure.log || \
	{ cat $(BUILD)/$(1).configure.log; exit 1; }; cmake --build $(BUILD)/$(1)
