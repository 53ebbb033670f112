/* SPDX-License-Identifier: MIT
 *
 * Allocation; see base/mem.h for who may die and who may not.
 */
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *mem_new(size_t size)
{
    return calloc(1, size);
}

void *mem_array(size_t n, size_t size)
{
    return calloc(n == 0 ? 1 : n, size);
}

int mem_reserve(void *array_ptr, size_t *cap, size_t need, size_t item_size)
{
    size_t wanted = *cap == 0 ? 8 : *cap;
    void *array;

    if (need <= *cap) {
        return 0;
    }
    while (wanted < need) {
        wanted *= 2;
    }
    array = reallocarray(*(void **)array_ptr, wanted, item_size);
    if (array == NULL) {
        return -ENOMEM;
    }
    *(void **)array_ptr = array;
    *cap = wanted;
    return 0;
}

char *mem_str(struct bytes a)
{
    char *str = malloc(a.len + 1);

    if (str == NULL) {
        return NULL;
    }
    memcpy(str, a.ptr, a.len);
    str[a.len] = '\0';
    return str;
}

void mem_free(void *ptr)
{
    free(ptr);
}

void *xmem_new(size_t size)
{
    void *ptr = mem_new(size);

    if (ptr == NULL) {
        fputs("error=no-memory\n", stderr);
        abort();
    }
    return ptr;
}
