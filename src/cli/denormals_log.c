/* assay denormals trace --log, log and graph: each operation on a denormal, and what led to one value. */
#include "cli/denormals.h"

#include "base/built.h"
#include "base/output.h"
#include "cli/graph_format.h"
#include "cli/runs.h"
#include "show/report/common/drawing.h"

static struct denormal_view view_of(const struct session *session, const struct denormals_choice *choice,
                                    const char *path)
{
    return (struct denormal_view){.connection = session->connection,
                                  .path = path,
                                  .run = choice->run,
                                  .demangle = session->style.demangle};
}

bool denormals_write_log(struct session *session, const struct denormals_choice *choice, struct error *error)
{
    if (!choice->log)
        return true;
    struct denormal_view view = view_of(session, choice, choice->watching.words[0]);
    struct report_style style = {.demangle = session->style.demangle};
    struct output *output = output_open(choice->log, error);
    if (!output)
        return false;
    if (!report_denormal_log(&view, &style, output_stream(output), error)) {
        output_abandon(output);
        return false;
    }
    if (!output_finish(output, error))
        return false;
    session_say(session, "the log is in %s", choice->log);
    return true;
}

static int check(struct session *session, const struct denormals_choice *choice, const char *path,
                 struct error *error)
{
    return runs_check(session->connection, "denormal_runs", choice->run, path,
                      "assay denormals trace --log FILE --output FILE.db -- PROGRAM", error);
}

int denormals_log(struct session *session, const struct denormals_choice *choice,
                  const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 1);
    int code = check(session, choice, path, error);
    struct denormal_view view = view_of(session, choice, path);
    if (code)
        return code;
    return report_denormal_log(&view, &session->style, session->out, error) ? 0 : 2;
}

int denormals_graph(struct session *session, const struct denormals_choice *choice,
                    const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 1), *format;
    int code = check(session, choice, path, error);
    struct denormal_view view = view_of(session, choice, path);
    size_t drawn = 0, behind = 0;
    if (code)
        return code;
    if (!feature_needed(feature_GRAPHS, error) || !graph_format(invocation, &format, error))
        return 2;
    struct drawing *drawing =
        report_denormal_log_graph(&view, (uint64_t)choice->entry, &drawn, &behind, error);
    session_release_interrupts();
    bool is_done = drawing && drawing_write(drawing, format, session->out, error);
    drawing_free(drawing);
    if (is_done && drawn < behind)
        session_say(session, "%zu of the %zu operations behind entry %lld are drawn, the nearest to it",
                    drawn, behind, (long long)choice->entry);
    return is_done ? 0 : 2;
}
