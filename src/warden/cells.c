/* SPDX-License-Identifier: MIT
 *
 * The table of cells; see cells.h. Rows are few, so they are searched one by one; the lowest
 * free row is taken, so that `used` stays near the number of cells at once.
 */
#include "warden/cells.h"

static bool has_uid(const struct cells *cells, uint32_t uid)
{
    for (size_t i = 0; i < cells->used; i++) {
        if (cells->rows[i].state != CELL_FREE && cells->rows[i].uid == uid) {
            return true;
        }
    }
    return false;
}

/* There are as many ids as rows, so that a free row finds one. */
static uint32_t next_uid(struct cells *cells)
{
    do {
        cells->last_uid = cells->last_uid % CELLS_MAX + 1;
    } while (has_uid(cells, cells->last_uid));
    return cells->last_uid;
}

struct cell_row *cells_add(struct cells *cells, uint32_t cell)
{
    size_t at = 0;

    while (at < cells->used && cells->rows[at].state != CELL_FREE) {
        at++;
    }
    if (at == CELLS_MAX) {
        return NULL;
    }
    if (at == cells->used) {
        cells->used++;
    }
    cells->rows[at] = (struct cell_row){.cell = cell, .uid = next_uid(cells), .state = CELL_ASKED};
    cells->asked++;
    return &cells->rows[at];
}

struct cell_row *cells_find(struct cells *cells, uint32_t cell)
{
    for (size_t i = 0; i < cells->used; i++) {
        if (cells->rows[i].state != CELL_FREE && cells->rows[i].cell == cell) {
            return &cells->rows[i];
        }
    }
    return NULL;
}

struct cell_row *cells_find_pid(struct cells *cells, pid_t pid)
{
    for (size_t i = 0; i < cells->used; i++) {
        if (cells->rows[i].state != CELL_FREE && cells->rows[i].pid == pid) {
            return &cells->rows[i];
        }
    }
    return NULL;
}

struct cell_row *cells_find_asked(struct cells *cells, uint32_t made_by)
{
    for (size_t i = 0; i < cells->used && cells->asked > 0; i++) {
        const struct cell_row *row = &cells->rows[i];

        if (row->state != CELL_FREE && row->pid == 0 && row->made_by == made_by) {
            return &cells->rows[i];
        }
    }
    return NULL;
}

void cells_set_pid(struct cells *cells, struct cell_row *row, pid_t pid)
{
    row->pid = pid;
    cells->asked--;
    if (row->state == CELL_ASKED) {
        row->state = CELL_ALIVE;
    }
}

void cells_drop(struct cells *cells, struct cell_row *row)
{
    if (row->pid == 0) {
        cells->asked--;
    }
    *row = (struct cell_row){.state = CELL_FREE};
    while (cells->used > 0 && cells->rows[cells->used - 1].state == CELL_FREE) {
        cells->used--;
    }
}
