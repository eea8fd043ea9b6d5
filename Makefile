# make demo    installs what is missing (as root), builds, and runs Assay on an example
# make check   the tests                    make quick   those that touch what changed, in two minutes
# make bench   measurements, each beside what it is compared with
# make fuzz    fuzzers, damaged files         make proof   every program here against objdump; Debian's with probes
# make fresh   both commands of README.md in a minimal Debian made for it (tools/fresh-machine)
# make install PREFIX=/usr/local DESTDIR=    make format  lays the code out
# make deb     Debian packages     make bundle   one archive that runs anywhere     make dist   the sources; all in build-packages/

BUILD = build
PREFIX = /usr/local
# Whether a compiler's warning stops the build: for developers and CI (.ci/run), who know the compiler.
WERROR ?= false
# Whether Assay looks at its own promises while it runs (src/base/expect.h): for the same people.
EXPECT ?= $(WERROR)
DESTDIR =
EXAMPLE_FLAGS = -O2 -g

all: configured
	@ninja -C $(BUILD) --quiet || tools/room $(BUILD)

# An optimised build with symbols, and one with the sanitizers (-O1 -g1, and no way back from a finding: compiled in half the time,
# hardly slower; its warnings are less exact and not shown).  Looking for leaks would take seconds at each start while it builds.
configured:
	@[ -e $(BUILD)/build.ninja ] || tools/deps build
	@tools/configure $(BUILD) --prefix $(PREFIX) -Dwerror=$(WERROR) -Dexpect=$(EXPECT)
configured-asan:
	@[ -e $(BUILD)-asan/build.ninja ] || tools/deps build
	@tools/configure $(BUILD)-asan -Dexpect=true -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Ddebug=false \
	    -Dc_args='-g1 -w -fno-sanitize-recover=all'

demo:
	@tools/deps build
	@$(MAKE) --no-print-directory all
	@cc $(EXAMPLE_FLAGS) -o $(BUILD)/heat examples/heat.c -lm
	@examples/demo $(BUILD)/assay $(BUILD)/heat

check:
	@tools/deps build check
	@tools/npm-deps
	@$(MAKE) --no-print-directory all configured-asan
	@ASAN_OPTIONS=detect_leaks=0 ninja -C $(BUILD)-asan --quiet
	@tests/run $(BUILD) $(BUILD)-asan

quick: all
	@tests/run --changed --within 100 $(BUILD)

bench: all
	@tools/deps bench
	@bench/foundation $(BUILD)/assay
	@bench/listings $(BUILD)/assay
	@bench/accuracy $(BUILD)/assay
	@bench/loops $(BUILD)/assay
	@bench/switches $(BUILD)/assay
	@bench/report $(BUILD)/assay
	@bench/diff $(BUILD)/assay
	@bench/examples $(BUILD)/assay
	@bench/corpus $(BUILD)/assay
	@bench/denormals $(BUILD)/assay
	@bench/probe $(BUILD)/assay
	@bench/run $(BUILD)/assay
	@bench/options $(BUILD)/assay
	@bench/parts $(BUILD)/assay
	@bench/instructions $(BUILD)/assay
	@bench/schedule-slurm $(BUILD)/assay
	@bench/models $(BUILD)/assay

fuzz: all configured-asan
	@tools/deps build fuzz
	@fuzz/run
	@ASAN_OPTIONS=detect_leaks=0 ninja -C $(BUILD)-asan --quiet assay
	@fuzz/mutate --plain $(BUILD)/assay --sanitized $(BUILD)-asan/assay
	@fuzz/limits $(BUILD)

proof: all configured-asan
	@tools/deps check proof
	@ASAN_OPTIONS=detect_leaks=0 ninja -C $(BUILD)-asan --quiet
	@tests/run --leaks $(BUILD)-asan
	@tests/probe-proof $(BUILD)
	@tests/probe-agreement $(BUILD)
	@tests/schedule-proof $(BUILD)
	@tests/least-proof $(BUILD)-least
	@tests/clang-proof $(BUILD)
	@find /usr/bin /usr/lib -type f -exec sh -c 'for file; do [ "$$(head -c 4 "$$file" | tail -c 3)" = ELF ] && \
	    echo "$$file"; done' sh {} + | ASSAY=$(BUILD)/assay xargs tests/agreement

fresh:
	@tools/deps fresh
	@tools/fresh-machine

install: all
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet --no-rebuild

dist deb:
	@tools/package $@
bundle: all
	@tools/package bundle $(BUILD)

format:
	@tools/format

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-least build-packages

.PHONY: all configured configured-asan demo fresh check quick bench fuzz proof install dist deb bundle format clean
