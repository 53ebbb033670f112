# SPDX-License-Identifier: MIT
# The engine's object, made once in $(E) and shared by every kind of build, never instrumented.
# `make engine_wasm=FILE` builds from a module of your own, which is checked by its exports.
engine_wasm ?= engine/node_modules/quickjs-wasi/quickjs.wasm
ENGINE_OWN = $(if $(filter engine/node_modules/%,$(engine_wasm)),,own)

engine/node_modules/quickjs-wasi/quickjs.wasm: engine/package-lock.json
	$(call say,NPM)
	$(Q)cd engine && npm ci --ignore-scripts --silent && touch ../$@

# Remembers which module was built, so that another one builds again.
$(E)/module: FORCE
	@mkdir -p $(@D)
	@echo '$(engine_wasm)' | cmp -s - $@ || echo '$(engine_wasm)' >$@

$(E)/quickjs.c: engine/recipe.sh $(engine_wasm) $(E)/module
	$(call say,WASM2C)
	$(Q)engine/recipe.sh $(engine_wasm) $(E) $(ENGINE_OWN)

$(E)/quickjs.h: $(E)/quickjs.c

# -fstack-usage tells each function's frame; shape.h says how large one may be.
$(E)/engine.o: $(E)/quickjs.c engine/shape.h
	$(call say,CC)
	$(Q)gcc -O2 -fPIE -fno-math-errno -fvisibility=hidden -w -fstack-usage -I. -c $< -o $@
	$(Q)max=$$(sed -n 's/.*ENGINE_MAX_FRAME *\([0-9]*\)u$$/\1/p' engine/shape.h); \
	  awk -F'\t' -v max=$$max '$$2 + 0 > max { print "engine: a frame of " $$2 " bytes in " $$1; bad = 1 } \
	  $$3 !~ /static|bounded/ { print "engine: a frame without bound in " $$1; bad = 1 } \
	  END { exit bad || NR < 1000 }' $(E)/engine.su

# The prelude as a string, engine_prelude and engine_prelude_len: an array of functions, the
# last of which takes the others.
PRELUDE = own arguments stack inspect tools ending prelude
$(E)/prelude.o: $(PRELUDE:%=engine/%.js)
	$(call say,EMBED)
	@mkdir -p $(@D)
	$(Q)(printf '['; sed -s '$$a,' $^; printf ']') >$(E)/prelude.txt
	$(Q)printf '%s\n' '.section .rodata' '.hidden engine_prelude, engine_prelude_len' \
	  '.globl engine_prelude, engine_prelude_len' 'engine_prelude: .incbin "$(E)/prelude.txt"' \
	  '1: .byte 0' '.balign 8' 'engine_prelude_len: .quad 1b - engine_prelude' \
	  '.section .note.GNU-stack,"",@progbits' >$(E)/prelude.s
	$(Q)gcc -c $(E)/prelude.s -o $@

$(patsubst src/%.c,$(P)/%.o,$(wildcard src/cell/engine*.c)): $(E)/quickjs.h

.PHONY: FORCE
FORCE:
