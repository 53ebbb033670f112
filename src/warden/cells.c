/* SPDX-License-Identifier: MIT
 *
 * The table of cells; see cells.h. Rows are few, so they are searched one by one; the lowest
 * free row is taken, so that `used` stays near the number of cells at once.
 */
#include "warden/cells.h"

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
    cells->rows[at] = (struct cell_row){.cell = cell, .state = CELL_ASKED};
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

struct cell_row *cells_find_asked(struct cells *cells)
{
    return cells->asked == 0 ? NULL : cells_find_pid(cells, 0);
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
