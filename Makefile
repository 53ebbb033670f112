# SPDX-License-Identifier: MIT
# Torno's build: one file, non-recursive. See HACKING.md. `make help` lists the doors.
VERSION := 0.1.0
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := gcc
endif
V ?= 0
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@echo "  $(1) $@")

# A sanitizer build lies in a folder of its own beside the plain one. What runs inside a
# cell (engine, cell, warden) is never instrumented: its filter would kill the sanitizer.
SAN ?= 0
P := build/plain
B := $(if $(filter 1,$(SAN)),build/san,$(P))
E := build/engine
BIN := $(if $(filter 1,$(SAN)),build/san,build)

WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wvla \
  -Wconversion -Wno-sign-conversion $(if $(CI),-Werror)
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -DTORNO_VERSION='"$(VERSION)"' -DTORNO_PREFIX='"$(PREFIX)"' -Isrc -Iinclude -I. -O2 -g -fPIC \
  -fvisibility=hidden -fno-omit-frame-pointer -fstack-protector-strong -D_FORTIFY_SOURCE=2 $(WARN)
SAN_FLAGS := $(if $(filter 1,$(SAN)),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -U_FORTIFY_SOURCE)
UV_FLAGS := $(shell pkg-config --cflags libuv 2>/dev/null)
UV_LIBS := $(shell pkg-config --libs libuv 2>/dev/null)

room = $(wildcard src/$(1)/*.c)
objs = $(patsubst src/%.c,$(2)/%.o,$(foreach r,$(1),$(call room,$(r))))
LIB_ROOMS := base json wire host agent
TOOL_ROOMS := rpc mcp serve cli
CELL_ROOMS := base wire cell

LIB_OBJS = $(call objs,$(LIB_ROOMS),$(B))
TOOL_OBJS = $(call objs,$(TOOL_ROOMS),$(B))
CELL_OBJS = $(call objs,$(CELL_ROOMS),$(P)) $(E)/engine.o $(E)/prelude.o
WARDEN_OBJS = $(call objs,warden,$(P)) $(CELL_OBJS)

UNIT := $(patsubst tests/unit/%-test.c,%,$(wildcard tests/unit/*-test.c))
CELL_TESTS := $(filter engine hardening stop memory recursion channel seccomp warden walls kills native,$(UNIT))
HOST_TESTS := $(filter-out $(CELL_TESTS),$(UNIT))
FUZZ := $(patsubst tests/fuzz/%-fuzz.c,%,$(wildcard tests/fuzz/*-fuzz.c))
RUNNERS := $(patsubst tests/%.c,%,$(wildcard tests/run-cases.c tests/hostile-test.c))
DOUBLES := $(patsubst tests/%.c,%,$(wildcard tests/e2e/*.c tests/hostile/*.c tests/cli/*.c))
TEST_BINS := $(UNIT:%=$(B)/test/%-test) $(FUZZ:%=$(B)/test/%-replay) \
  $(RUNNERS:%=$(B)/test/%) $(DOUBLES:%=$(B)/test/%) $(B)/test/torno-warden-native

.PHONY: all help demo check tests lint format fuzz fuzz-scripts conformance bench install uninstall clean
all: $(BIN)/torno $(BIN)/torno-warden

help:
	@echo "make demo     install what is missing, build, run the demo on real tool servers"
	@echo "make check    build and run every test (SAN=1: with sanitizers)"
	@echo "make bench    measure, side by side with node running the same engine"
	@echo "make lint     static analysis and style     make format   clang-format"
	@echo "make fuzz T=wire [SECONDS=60]   one fuzz target: $(FUZZ)"
	@echo "make fuzz-scripts [SECONDS=60]  scripts spliced from the case suite, in real cells"
	@echo "make conformance  parser files of the ECMAScript conformance tests"
	@echo "make tests    build the test programs     make clean"
	@echo "make install [PREFIX=/usr/local] [DESTDIR=]     make uninstall"

include engine/engine.mk

$(P)/%.o: src/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) $(UV_FLAGS) -MMD -MP -c $< -o $@

build/san/%.o: src/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) $(UV_FLAGS) $(SAN_FLAGS) -MMD -MP -c $< -o $@

$(P)/cell/engine.o $(P)/cell/engine-rt.o: $(E)/quickjs.h

$(B)/libtorno.a: $(LIB_OBJS)
	$(call say,AR)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BIN)/torno: $(TOOL_OBJS) $(B)/libtorno.a
	$(call say,LINK)
	$(Q)$(CC) -pie $(SAN_FLAGS) $^ -o $@ $(UV_LIBS)

build/torno-warden: $(WARDEN_OBJS)
	$(call say,LINK)
	$(Q)$(CC) -static-pie $^ -o $@ -lseccomp -lm

build/san/torno-warden: build/torno-warden
	@mkdir -p $(@D)
	$(Q)ln -f $< $@

# Tests: a host test links the library and tool rooms, a cell test what runs in the cell.
TEST_FLAGS = $(BASE_FLAGS) $(UV_FLAGS) -Itests
NO_MAIN = $(filter-out %/cli/main.o,$(TOOL_OBJS))

$(CELL_TESTS:%=$(B)/test/%-test): $(B)/test/%-test: tests/unit/%-test.c tests/unit/t.h $(CELL_OBJS) $(filter-out %/main.o,$(call objs,warden,$(P)))
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(filter %.c %.o,$^) -MMD -MP -o $@ -lseccomp -lm

# A warden whose cells run native probes in the engine's place.
$(B)/test/torno-warden-native: tests/native/engine.c $(filter-out $(P)/cell/engine%.o $(E)/%,$(WARDEN_OBJS))
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) -static-pie $^ -MMD -MP -o $@ -lseccomp

$(HOST_TESTS:%=$(B)/test/%-test): $(B)/test/%-test: tests/unit/%-test.c tests/unit/t.h $(NO_MAIN) $(B)/libtorno.a
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(SAN_FLAGS) $(filter %.c,$^) $(NO_MAIN) $(B)/libtorno.a -MMD -MP -o $@ $(UV_LIBS)

$(FUZZ:%=$(B)/test/%-replay): $(B)/test/%-replay: tests/fuzz/%-fuzz.c tests/fuzz/replay.c $(NO_MAIN) $(B)/libtorno.a
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(SAN_FLAGS) $(filter %.c,$^) $(NO_MAIN) $(B)/libtorno.a -MMD -MP -o $@ $(UV_LIBS)

$(RUNNERS:%=$(B)/test/%) $(DOUBLES:%=$(B)/test/%): $(B)/test/%: tests/%.c $(NO_MAIN) $(B)/libtorno.a
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(SAN_FLAGS) $< $(NO_MAIN) $(B)/libtorno.a -MMD -MP -o $@ $(UV_LIBS)

tests: all $(TEST_BINS)

check: tools/.needs-check
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) SAN=$(SAN) tests
	$(Q)tests/run $(BIN) $(B)/test

demo: tools/.needs-build
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)demo/run.sh

bench: tools/.needs-bench
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) all build/bench/bench
	$(Q)bench/run.sh $(BENCH)

build/bench/%: bench/%.c $(P)/libtorno.a
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) $(UV_FLAGS) $< $(P)/libtorno.a -MMD -MP -o $@ $(UV_LIBS)

# Each door first installs what it needs and is not there; where nothing is missing it is quiet.
NEEDS := $(addprefix tools/.needs-,build check lint fuzz bench)
.PHONY: $(NEEDS)
$(NEEDS): tools/.needs-%:
	$(Q)tools/setup $*

lint: tools/.needs-lint
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) $(E)/quickjs.h
	$(Q)tools/lint $(BASE_FLAGS) $(UV_FLAGS)

format:
	$(Q)git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

T ?= wire
SECONDS ?= 60
fuzz: tools/.needs-fuzz
	@mkdir -p build/fuzz/corpus/$(T)
	$(Q)clang $(filter-out -D_FORTIFY_SOURCE=2,$(TEST_FLAGS)) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  tests/fuzz/$(T)-fuzz.c $(filter-out src/cli/main.c,$(foreach r,$(LIB_ROOMS) $(TOOL_ROOMS),$(call room,$(r)))) -o build/fuzz/$(T) $(UV_LIBS)
	$(Q)build/fuzz/$(T) -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 build/fuzz/corpus/$(T) tests/fuzz/corpus/$(T)

# Scripts spliced from the case suite, run in real cells: no host fault, no process left.
fuzz-scripts: all $(B)/test/scripts
	@mkdir -p build/fuzz
	$(Q)BIN=$(BIN) $(B)/test/scripts $(SECONDS)

$(B)/test/scripts: tests/fuzz/scripts.c $(B)/libtorno.a
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(SAN_FLAGS) $< $(B)/libtorno.a -MMD -MP -o $@ $(UV_LIBS)

# Parser files of the ECMAScript conformance tests, from npm.
conformance: all $(B)/test/conformance
	$(Q)cd tests/conformance && npm ci --ignore-scripts --silent
	$(Q)$(B)/test/conformance tests/conformance/node_modules/test262-parser-tests tests/conformance/expected-failures

$(B)/test/conformance: tests/conformance/parse.c $(CELL_OBJS)
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TEST_FLAGS) $(filter %.c %.o,$^) -MMD -MP -o $@ -lseccomp -lm

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/torno $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 -s build/torno $(DESTDIR)$(PREFIX)/bin/torno
	install -m 755 -s build/torno-warden $(DESTDIR)$(PREFIX)/libexec/torno/torno-warden
	install -m 644 man/torno.1 $(DESTDIR)$(PREFIX)/share/man/man1/torno.1
	install -m 644 man/torno-script.7 $(DESTDIR)$(PREFIX)/share/man/man7/torno-script.7

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/torno $(DESTDIR)$(PREFIX)/libexec/torno/torno-warden $(DESTDIR)$(PREFIX)/share/man/man1/torno.1 $(DESTDIR)$(PREFIX)/share/man/man7/torno-script.7
	-rmdir $(DESTDIR)$(PREFIX)/libexec/torno

clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
