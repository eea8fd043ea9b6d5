/* The loops of streams.def, a function stream_NAME each. */
#include "streams.h"

/* The last elements are left to statements that look a few places ahead. */
enum { AHEAD = 4 };

#define STREAM(name, count, type, step, statement)                                                           \
    double stream_##name(void *const arrays[4], long n, double number);                                      \
    __attribute__((noinline)) double stream_##name(void *const arrays[4], long n, double number)             \
    {                                                                                                        \
        typedef type element;                                                                                \
        element *restrict a = __builtin_assume_aligned(arrays[0], 64);                                       \
        element *restrict b = __builtin_assume_aligned(arrays[1], 64);                                       \
        element *restrict c = __builtin_assume_aligned(arrays[2], 64);                                       \
        element *restrict d = __builtin_assume_aligned(arrays[3], 64);                                       \
        element s = (element)number, t = 0;                                                                  \
        (void)a, (void)b, (void)c, (void)d, (void)s;                                                         \
        n -= AHEAD;                                                                                          \
        for (long i = 0; i < n; i += step) {                                                                 \
            statement;                                                                                       \
        }                                                                                                    \
        return (double)t;                                                                                    \
    }
#include "streams.def"

const struct stream streams[] = {
#define STREAM(name, count, type, step, statement) {#name, count, sizeof(type), step, stream_##name},
#include "streams.def"
};
const unsigned stream_count = sizeof streams / sizeof *streams;
