#include "base/nearest.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t nearest_edits(const char *left, const char *right)
{
    enum { LONGEST = 80 };
    size_t row[LONGEST + 1], width = strlen(right);
    if (width > LONGEST || strlen(left) > LONGEST)
        return SIZE_MAX;
    for (size_t k = 0; k <= width; k++)
        row[k] = k;
    for (size_t i = 1; left[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= width; k++) {
            size_t above = row[k], least = corner + (left[i - 1] != right[k - 1]);
            least = above + 1 < least ? above + 1 : least;
            row[k] = row[k - 1] + 1 < least ? row[k - 1] + 1 : least;
            corner = above;
        }
    }
    return row[width];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t length = strlen(nearest->wanted);
    size_t found = nearest_edits(nearest->wanted, name);
    if (found > 2 && length > 2 && strstr(name, nearest->wanted))
        found = 2;
    size_t allowed = length / 3 + 1;
    if (found > allowed || (nearest->best && found >= nearest->edits))
        return;
    free(nearest->best);
    nearest->best = memory_copy_text(name, strlen(name));
    nearest->edits = found;
}
