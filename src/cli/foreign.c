#include "cli/foreign.h"

#include "base/apart.h"

#include <stdio_ext.h>

static bool work(void *context, FILE *out, struct error *error)
{
    const struct foreign *foreign = context;
    foreign->session->out = out;
    __fsetlocking(out, FSETLOCKING_BYCALLER);
    return foreign->work(foreign->context, error);
}

static bool must_end(void *context)
{
    const struct foreign *foreign = context;
    return foreign->must_end ? foreign->must_end() : session_was_interrupted();
}

bool foreign_run(const struct foreign *foreign, struct error *error)
{
    return apart_run(&(struct apart){.work = work,
                                     .context = (void *)(uintptr_t)foreign,
                                     .out = foreign->session->out,
                                     .result = foreign->result,
                                     .result_size = foreign->result_size,
                                     .what = foreign->what,
                                     .seconds = foreign->seconds,
                                     .setting = "ASSAY_SQL_SECONDS",
                                     .must_end = foreign->ends_gently ? NULL : must_end,
                                     .ends_gently = foreign->ends_gently},
                     error);
}
