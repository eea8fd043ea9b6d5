/* Why a unit test cannot run here, in words that tests/run understands: unable() if the processor, the kernel
   or the user's rights cannot do it, which skips the test; lacking() if something is missing that can be
   installed, which fails it (LENIENT in the environment: skips it, too). */
#ifndef TESTS_UNIT_ABLE_H
#define TESTS_UNIT_ABLE_H

#include <stdio.h>
#include <stdlib.h>

#define unable(why)                                                                                          \
    do {                                                                                                     \
        printf("because: %s\n", why);                                                                        \
        fflush(stdout);                                                                                      \
        skip();                                                                                              \
    } while (0)

#define lacking(what)                                                                                        \
    do {                                                                                                     \
        if (getenv("LENIENT"))                                                                               \
            unable(what);                                                                                    \
        printf("lacking: %s\n", what);                                                                       \
        fflush(stdout);                                                                                      \
        fail();                                                                                              \
    } while (0)

#endif
