#include "base/expect.h"

#ifdef ASSAY_EXPECT
#include <stdio.h>
#include <stdlib.h>

_Noreturn void expect_failed(const char *condition, const char *file, int line, const char *function)
{
    fprintf(stderr,
            "assay: a mistake of Assay's own: %s:%d: %s expects %s; please report it, with the command and "
            "its files\n",
            file, line, function, condition);
    abort();
}
#endif
