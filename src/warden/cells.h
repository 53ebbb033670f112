/* SPDX-License-Identifier: MIT
 *
 * The init's table of cells: pure bookkeeping, no system call.
 */
#ifndef WARDEN_CELLS_H
#define WARDEN_CELLS_H

#include "warden/warden.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum cell_state {
    CELL_FREE,   /* the row holds no cell */
    CELL_ASKED,  /* the zygote has the request; no pid yet */
    CELL_ALIVE,  /* it runs */
    CELL_DOOMED, /* its kill was asked for, with or without a pid yet */
};

struct cell_row {
    uint32_t cell;    /* the host's name for it */
    uint32_t uid;     /* 1 to CELLS_MAX: no other living cell has it */
    uint32_t made_by; /* the number of the zygote that was asked */
    pid_t pid;        /* 0 until known */
    enum cell_state state;
};

struct cells {
    struct cell_row rows[CELLS_MAX];
    size_t used;       /* rows up to here were ever used */
    size_t asked;      /* rows without a pid */
    uint32_t last_uid; /* given last: ids go round, so that one is used again as late as can be */
};

/* A row for a new cell, NULL where all are taken. */
struct cell_row *cells_add(struct cells *cells, uint32_t cell);

/* The row of a cell or of a pid; NULL. */
struct cell_row *cells_find(struct cells *cells, uint32_t cell);
struct cell_row *cells_find_pid(struct cells *cells, pid_t pid);

/* Any row that still waits for its pid from this zygote; NULL. */
struct cell_row *cells_find_asked(struct cells *cells, uint32_t made_by);

/* The zygote has made it. */
void cells_set_pid(struct cells *cells, struct cell_row *row, pid_t pid);

/* Frees the row. */
void cells_drop(struct cells *cells, struct cell_row *row);

/* The number of a row, which lasts as long as its cell. */
static inline uint32_t cells_slot(const struct cells *cells, const struct cell_row *row)
{
    return (uint32_t)(row - cells->rows);
}

#endif
