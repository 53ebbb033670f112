# SPDX-License-Identifier: MIT
# The proof of the walls: test programs of tests/walls, run by tests/run as unit/NAME, and the
# warden that they switch walls off in.
ABLATE := $(patsubst src/%.c,$(P)/ablate/%.o,$(call room,warden) src/cell/cell.c)

# Those that play the host by hand, and those that embed the real one.
WALL_CELL_TESTS := $(filter ablation,$(patsubst tests/walls/%-test.c,%,$(wildcard tests/walls/*-test.c)))
WALL_HOST_TESTS := $(filter-out $(WALL_CELL_TESTS),$(patsubst tests/walls/%-test.c,%,$(wildcard tests/walls/*-test.c)))
TEST_BINS += $(WALL_CELL_TESTS:%=$(B)/test/%-test) $(WALL_HOST_TESTS:%=$(B)/test/%-test)

$(P)/ablate/%.o: src/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) -DTORNO_ABLATE -MMD -MP -c $< -o $@

# Its cells make the escapes of tests/walls/escapes.c in place of those of src/cell/attempt.c.
$(B)/test/torno-warden-ablate: tests/walls/ablate.c tests/walls/escapes.c $(ABLATE) $(filter-out $(P)/cell/attempt.o $(patsubst $(P)/ablate/%,$(P)/%,$(ABLATE)),$(WARDEN_OBJS))
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) -DTORNO_ABLATE -static-pie $(filter %.c %.o,$^) -MMD -MP -o $@ -lseccomp -lm

$(WALL_CELL_TESTS:%=$(B)/test/%-test): $(B)/test/%-test: tests/walls/%-test.c $(CELL_OBJS) $(filter-out %/main.o,$(call objs,warden,$(P))) $(B)/test/torno-warden-ablate
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) -Itests $(filter %.c %.o,$^) -MMD -MP -o $@ -lseccomp -lm

$(WALL_HOST_TESTS:%=$(B)/test/%-test): $(B)/test/%-test: tests/walls/%-test.c $(filter-out %/cli/main.o,$(TOOL_OBJS)) $(B)/libtorno.a
	$(call say,TEST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE_FLAGS) $(UV_FLAGS) -Itests $(SAN_FLAGS) $(filter %.c %.o %.a,$^) -MMD -MP -o $@ $(UV_LIBS) -lseccomp -pthread
