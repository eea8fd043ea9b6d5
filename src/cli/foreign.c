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
                                     .file = foreign->file,
                                     .result = foreign->result,
                                     .result_size = foreign->result_size,
                                     .what = foreign->what,
                                     .seconds = foreign->seconds,
                                     .setting = "ASSAY_SQL_SECONDS",
                                     .must_end = foreign->ends_gently ? NULL : must_end,
                                     .ends_gently = foreign->ends_gently},
                     error);
}

struct reading {
    struct session *session;
    const char *statements;
    const struct store_choice *choice;
    bool wanted[SUPPLY_COUNT];
};

static void note_wanted(void *context, const char *table)
{
    struct reading *reading = context;
    for (enum supply kind = 0; kind < SUPPLY_COUNT; kind++)
        reading->wanted[kind] |= session_supply_has(kind, table);
}

static bool read_over(void *context, struct error *error)
{
    struct reading *reading = context;
    (void)error;
    store_supply(reading->session->store, note_wanted, reading);
    store_read_over(reading->session->store, reading->statements, reading->choice);
    return true;
}

bool foreign_supply(struct session *session, const char *statements, const struct store_choice *choice,
                    unsigned seconds, struct error *error)
{
    struct reading reading = {session, statements, choice, {false}};
    if (!session->model || !session->store) /* a database has what it has */
        return true;
    if (!foreign_run(&(struct foreign){.session = session,
                                       .work = read_over,
                                       .context = &reading,
                                       .what = "the query",
                                       .seconds = seconds,
                                       .result = reading.wanted,
                                       .result_size = sizeof reading.wanted},
                     error))
        return false;
    for (enum supply kind = 0; kind < SUPPLY_COUNT; kind++)
        if (reading.wanted[kind])
            session_supply(session, kind);
    return true;
}
