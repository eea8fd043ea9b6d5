/* Folded stacks, as flamegraph.pl, inferno and speedscope read them: a line for each chain of callers, its
   functions with semicolons between them, and microseconds of processor time. */
#include "show/report/profiles/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Semicolons separate functions, and the last blank the count. */
static void put_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(*name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name, out);
}

bool profile_folded(const struct profile *profile, FILE *out, struct error *error)
{
    (void)error;
    struct array chain = ARRAY_OF(uint32_t);
    for (size_t i = 1; i < profile->stacks.count; i++) {
        const struct profile_stack *stack = ARRAY_AT(struct profile_stack, &profile->stacks, i);
        long long microseconds = llround(stack->self * 1e6);
        if (microseconds < 1)
            continue;
        chain.count = 0;
        for (uint32_t at = (uint32_t)i; at; at = ARRAY_AT(struct profile_stack, &profile->stacks, at)->caller)
            *(uint32_t *)array_push(&chain) = ARRAY_AT(struct profile_stack, &profile->stacks, at)->frame;
        for (size_t k = chain.count; k-- > 0;) {
            uint32_t frame = *ARRAY_AT(uint32_t, &chain, k);
            put_name(ARRAY_AT(struct profile_frame, &profile->frames, frame)->name, out);
            fputc(k ? ';' : ' ', out);
        }
        fprintf(out, "%lld\n", microseconds);
    }
    array_free(&chain);
    return true;
}
