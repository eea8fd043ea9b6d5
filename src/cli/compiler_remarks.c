/* What the user names must be readable. What is found without being asked for is an offer: a record that
   cannot be read is said in one line and left out. */
#include "cli/compiler_remarks.h"

#include "base/progress.h"
#include "code/remarks/remarks.h"

#include <string.h>

enum { MOST_SAID = 3 };

static bool read_named(struct remarks *remarks, const struct invocation *invocation, struct error *error)
{
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id == OPTION_REMARKS && strcmp(given->value, "none") != 0 &&
            !remarks_read(remarks, given->value, error))
            return false;
    }
    return true;
}

static void say_refused(const struct session *session, const struct remarks *remarks)
{
    size_t count = remarks->refused.count;
    for (size_t i = 0; i < count && i < MOST_SAID; i++)
        session_say(session, "%s", *ARRAY_AT(char *, &remarks->refused, i));
    if (count > MOST_SAID)
        session_say(session, "%zu more records of the compiler were left out", count - MOST_SAID);
}

/* Records that say nothing about the loops are most likely another program's. */
static void say_placed(const struct session *session, const struct remarks *remarks)
{
    const struct model *model = session->model;
    for (uint32_t id = 1; id < model->remarks.count; id++)
        if (model_compiler_remark(model, id)->loop)
            return;
    session_say(
        session, "%s",
        remarks->entries.count
            ? "the records of --remarks are about none of these loops: were they written when this "
              "program was compiled, with -g?"
            : "the records of --remarks say nothing about loops: the vectoriser was off (it needs -O2 or "
              "-O3)");
}

bool compiler_remarks_take(struct session *session, const struct array *loops, struct error *error)
{
    bool is_named = options_has(session->invocation, OPTION_REMARKS);
    struct remarks remarks;
    if (!is_named && session->model->remarks.count > 1)
        return true;
    remarks_begin(&remarks);
    bool done = read_named(&remarks, session->invocation, error);
    progress_clear();
    if (!is_named)
        remarks_find(&remarks, session->model, loops, session->trust);
    if (done) {
        remarks_place(&remarks, session->model, loops);
        say_refused(session, &remarks);
        if (is_named && remarks.records.count)
            say_placed(session, &remarks);
    }
    remarks_free(&remarks);
    return done;
}
