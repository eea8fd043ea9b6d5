/* How many iterations of the source one of a compiled loop does, by how far its addresses move.

   Arithmetic may become more (a square root by estimates) or less (common parts); the way through memory
   stays: a loop that moves by 112 bytes where the source loop moves by 56 does two of its iterations at once.
   The largest stride gives the number, and all others have to agree: each must be that many times a stride of
   the source loop. */
#include "change/optimise/judge/judge_parts.h"

#include <stddef.h>
#include <stdlib.h>

static bool has(const struct judge_strides *strides, uint64_t bytes)
{
    for (unsigned i = 0; i < strides->count; i++)
        if (strides->bytes[i] == bytes)
            return true;
    return false;
}

struct judge_strides judge_strides_of(const struct model *model, uint32_t loop)
{
    struct judge_strides strides = {0};
    size_t at =
        array_first_not_below(&model->access_patterns, 0, offsetof(struct access_pattern_row, loop), loop);
    for (; at < model->access_patterns.count; at++) {
        const struct access_pattern_row *row = model_access_pattern_row(model, (uint32_t)at);
        if (row->loop != loop)
            break;
        uint64_t bytes = row->stride < 0 ? 0 - (uint64_t)row->stride : (uint64_t)row->stride;
        if (!bytes || row->is_stack || has(&strides, bytes))
            continue;
        if (strides.count == JUDGE_STRIDES)
            return (struct judge_strides){0};
        strides.bytes[strides.count++] = bytes;
    }
    return strides;
}

static uint64_t largest(const struct judge_strides *strides)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < strides->count; i++)
        most = strides->bytes[i] > most ? strides->bytes[i] : most;
    return most;
}

uint32_t judge_strides_ratio(const struct judge_strides *whole, const struct judge_strides *part)
{
    uint64_t far = largest(whole), near = largest(part);
    if (!far || !near || far % near || far / near > UINT16_MAX)
        return 0;
    uint64_t ratio = far / near;
    for (unsigned i = 0; i < whole->count; i++)
        if (whole->bytes[i] % ratio || !has(part, whole->bytes[i] / ratio))
            return 0;
    return (uint32_t)ratio;
}
