#include "base/bisect.h"

const void *bisect_named(const void *rows, size_t count, size_t width, const char *name, size_t length)
{
    struct bisection search = {0, count};
    while (bisect(&search)) {
        const void *row = (const char *)rows + search.middle * width;
        const char *other = *(const char *const *)row;
        size_t same = 0;
        while (same < length && other[same] && other[same] == name[same])
            same++;
        if (same == length && !other[same])
            return row;
        bisect_past(&search, same < length && (unsigned char)other[same] < (unsigned char)name[same]);
    }
    return NULL;
}
