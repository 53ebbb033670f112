/* SPDX-License-Identifier: MIT
 *
 * Allocation and scope exit: the only header that names malloc.
 *
 * mem_new and friends return zeroed memory, or NULL for the library to answer
 * with -ENOMEM; the x forms die with a line on stderr, for programs whose parent
 * survives them and reports it. _cleanup_ runs when a scope is left, in
 * reverse order of declaration; steal_* leave with the value.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/bytes.h"

#define _cleanup_(function) __attribute__((cleanup(function)))
#define ARRAY_SIZE(array)   (sizeof(array) / sizeof((array)[0]))

/* Zeroed memory for one object or for n of them; NULL where there is none. */
void *mem_new(size_t size);
void *mem_array(size_t n, size_t size);

/* Grows an array to hold at least need items, doubling; 0 or -ENOMEM. Updates *cap. */
int mem_reserve(void *array_ptr, size_t *cap, size_t need, size_t item_size);

/* A copy as a C string, owned by the caller (mem_free); NULL where there is no memory. */
char *mem_str(struct bytes a);

/* Frees; NULL is fine. */
void mem_free(void *ptr);

/* As mem_new, but dies where there is no memory. */
void *xmem_new(size_t size);

static inline void free_p(void *ptr_ptr)
{
    mem_free(*(void **)ptr_ptr);
}

static inline void *steal(void *ptr_ptr)
{
    void *value = *(void **)ptr_ptr;

    *(void **)ptr_ptr = NULL;
    return value;
}

/* Takes the pointer out of its variable and leaves NULL. */
#define steal_ptr(variable) ((__typeof__(*(variable)))steal(variable))

#endif
