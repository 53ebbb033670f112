/* SPDX-License-Identifier: MIT
 *
 * The init: owns the zygote and the cells, and serves the host's control socket.
 */
#ifndef WARDEN_INIT_H
#define WARDEN_INIT_H

#include "warden/space.h"
#include "warden/warden.h"

/* What the init of tier A reports to the monitor: step 0 where every wall stands. */
struct init_report {
    enum space_step step;
    int error;
};

/* Serves until the host is gone; on return no cell and no zygote lives, or (tier A) the
 * caller must exit, which ends them. */
void init_serve(struct warden *w);

/* As pid 1 of tier A's namespaces, a child of the monitor's: waits for its maps, enters,
 * reports through the socket, serves, exits. */
__attribute__((noreturn)) void init_main(struct warden *w, int monitor);

/* The monitor's side: lets the init go on after its maps were written, and waits for its
 * report; 0 or -errno where it died instead. */
int init_release(int socket, struct init_report *ret);

#endif
