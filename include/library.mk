# SPDX-License-Identifier: MIT
# libtorno: the two libraries, what is installed of them, and the examples.
SO := libtorno.so.$(firstword $(subst ., ,$(VERSION)))

# In the archive that is given away nothing but the header's names can be seen.
$(P)/lib/libtorno.a: $(call objs,$(LIB_ROOMS),$(P))
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)ld -r $^ -o $(@D)/torno.o && objcopy --localize-hidden $(@D)/torno.o && rm -f $@ && ar rcs $@ $(@D)/torno.o

$(P)/lib/$(SO): $(call objs,$(LIB_ROOMS),$(P)) include/torno.map
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(SO) -Wl,--version-script,include/torno.map -Wl,-z,defs $(filter %.o,$^) -o $@ $(UV_LIBS)

libraries: $(P)/lib/libtorno.a $(P)/lib/$(SO)

D = $(DESTDIR)$(PREFIX)
install: all libraries
	install -d $(D)/bin $(D)/libexec/torno $(D)/lib/pkgconfig $(D)/include $(D)/share/man/man1 $(D)/share/man/man3 $(D)/share/man/man7
	install -m 755 -s build/torno $(D)/bin/torno
	install -m 755 -s build/torno-warden $(D)/libexec/torno/torno-warden
	install -m 644 include/torno.h $(D)/include/torno.h
	install -m 644 $(P)/lib/libtorno.a $(D)/lib/libtorno.a
	install -m 755 -s $(P)/lib/$(SO) $(D)/lib/$(SO).$(VERSION)
	ln -sf $(SO).$(VERSION) $(D)/lib/$(SO)
	ln -sf $(SO) $(D)/lib/libtorno.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@UV_LIBS@|$(UV_LIBS)|' include/torno.pc.in >$(D)/lib/pkgconfig/torno.pc
	install -m 644 man/torno.1 $(D)/share/man/man1/torno.1
	install -m 644 man/libtorno.3 $(D)/share/man/man3/libtorno.3
	install -m 644 man/torno-script.7 $(D)/share/man/man7/torno-script.7

uninstall:
	rm -f $(D)/bin/torno $(D)/libexec/torno/torno-warden $(D)/include/torno.h $(D)/lib/libtorno.a $(D)/lib/libtorno.so $(D)/lib/$(SO) $(D)/lib/$(SO).$(VERSION)
	rm -f $(D)/lib/pkgconfig/torno.pc $(D)/share/man/man1/torno.1 $(D)/share/man/man3/libtorno.3 $(D)/share/man/man7/torno-script.7
	-rmdir $(D)/libexec/torno

# The examples, built against an installation by pkg-config alone, and run.
stage: all libraries
	$(Q)rm -rf build/stage && $(MAKE) --no-print-directory -s install SAN=0 PREFIX=$(CURDIR)/build/stage DESTDIR= >/dev/null

examples: stage
	$(Q)examples/run build/stage
