/* Without a call: see calls-with.c. */
#define AS_WISHED __attribute__((always_inline)) static inline
#define ROUNDS 300000
#include "calls-with.c"
