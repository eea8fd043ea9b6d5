/* What a run could not see or did not do: each text once, counts added.  write.c puts them into the recording. */
#include "trace.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { MOST_LIMITS = 64 };

static struct limit limits[MOST_LIMITS];
static UInt limit_count;

void limit_add(const HChar *text, ULong count)
{
    UInt i = 0;
    while (i < limit_count && limits[i].text != text && VG_(strcmp)(limits[i].text, text) != 0)
        i++;
    if (i == MOST_LIMITS)
        return;
    if (i == limit_count)
        limits[limit_count++] = (struct limit){VG_(strdup)("trace.limit", text), 0};
    limits[i].count += count;
}

const struct limit *limits_all(UInt *count)
{
    *count = limit_count;
    return limits;
}

void limits_forget(void)
{
    limit_count = 0;
}
