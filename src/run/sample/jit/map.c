/* "7f0012340000 1c0 Function.name": address and size in hexadecimal, the rest is the name. */
#include "run/sample/jit/parts.h"

#include <stdlib.h>
#include <string.h>

static bool take_number(const char **at, uint64_t *number)
{
    char *end;
    if (!strchr("0123456789abcdefABCDEF", **at) || !**at)
        return false;
    *number = strtoull(*at, &end, 16);
    bool is_good = end > *at && *end == ' ';
    *at = end + is_good;
    return is_good;
}

void jit_map_read(struct jit_codes *codes, FILE *file)
{
    char line[JIT_LONGEST_NAME + 64];
    bool is_begin = true;
    while (fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, "\n");
        bool is_whole = line[length] == '\n', was_begin = is_begin;
        const char *at = line;
        uint64_t address, size;
        is_begin = is_whole;
        line[length] = 0;
        if (!was_begin || !length) /* the rest of a long line; NULs */
            continue;
        if (!take_number(&at, &address) || !take_number(&at, &size) || size > UINT64_MAX - address) {
            codes->was_cut = true;
            continue;
        }
        if (jit_is_wanted(codes, address, size) && !jit_codes_add(codes, address, size, at, strlen(at)))
            break;
    }
}
