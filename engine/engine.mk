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

# JavaScript of ours is compiled to bytecode at build time, by the engine itself: the prelude, an
# array of functions the last of which takes the others, and the parts of the library.
PRELUDE = own arguments stack inspect tools ending timers wakes lazy prelude
LIBRARY = $(patsubst engine/library/%.js,%,$(wildcard engine/library/*.js))
PARTS = prelude $(LIBRARY)

$(E)/bytecode: engine/bytecode.c $(patsubst %,$(P)/cell/engine-%.o,rt js memory wasi) $(patsubst src/%.c,$(P)/%.o,$(call room,base)) $(E)/engine.o
	$(call say,LINK)
	$(Q)$(CC) $(BASE_FLAGS) -pie $^ -MMD -MP -MF $@.d -MT $@ -o $@.new -lm && mv $@.new $@

$(E)/part/prelude.js: $(PRELUDE:%=engine/%.js)
	@mkdir -p $(@D)
	$(Q)(printf '['; sed -s '$$a,' $^; printf ']') >$@

$(E)/part/typescript.js: engine/library/typescript.js engine/node_modules/quickjs-wasi/quickjs.wasm
	$(call say,ESBUILD)
	@mkdir -p $(@D)
	$(Q)engine/node_modules/.bin/esbuild $< --bundle --format=iife --global-name=typescript \
	  --target=es2022 --minify --banner:js='(function () {' --footer:js='return typescript; })()' \
	  --outfile=$@ --log-level=warning

$(E)/part/%.js: engine/library/%.js
	@mkdir -p $(@D)
	$(Q)cp $< $@

.SECONDARY: $(LIBRARY:%=$(E)/part/%.js)
$(E)/part/%.bytecode: $(E)/part/%.js $(E)/bytecode
	$(Q)$(E)/bytecode $< $@

# The table of parts that src/cell/engine-library.c reads: name, bytes, length.
$(E)/prelude.o: $(PARTS:%=$(E)/part/%.bytecode)
	$(call say,EMBED)
	$(Q)(echo '.section .rodata'; \
	  for part in $(PARTS); do printf '.balign 8\npart_%s: .incbin "$(E)/part/%s.bytecode"\nend_%s:\nname_%s: .asciz "%s"\n' \
	    $$part $$part $$part $$part $$part; done; \
	  printf '.section .data.rel.ro,"aw"\n.balign 8\n.globl engine_parts\n.hidden engine_parts\nengine_parts:\n'; \
	  for part in $(PARTS); do printf '.quad name_%s, part_%s, end_%s - part_%s\n' $$part $$part $$part $$part; done; \
	  printf '.quad 0, 0, 0\n.section .note.GNU-stack,"",@progbits\n') >$(E)/prelude.s
	$(Q)gcc -c $(E)/prelude.s -o $@

$(patsubst src/%.c,$(P)/%.o,$(wildcard src/cell/engine*.c)): $(E)/quickjs.h

.PHONY: FORCE
FORCE:
