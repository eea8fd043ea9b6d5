/* assay graph: control flow, dominators, calls. */
#include "base/built.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/graph_format.h"
#include "cli/session.h"
#include "show/report/graph/graph.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 2000 };

static struct graph *build(struct session *session, const struct invocation *invocation,
                           const struct array *functions, struct error *error)
{
    struct graph_options options = {.is_short = options_has(invocation, OPTION_SHORT),
                                    .demangle = session->style.demangle};
    bool dominators = options_has(invocation, OPTION_DOMINATORS),
         calls = options_has(invocation, OPTION_CALLS);
    if (!options_number(invocation, OPTION_DEPTH, 1, &options.depth, error))
        return NULL;
    if (calls)
        return graph_of_calls(session->connection, functions->data, functions->count, &options, error);
    if (functions->count != 1) {
        if (functions->count)
            error_set(error, NULL, "%zu functions match %s; name one (assay functions lists them)",
                      functions->count, options_value(invocation, OPTION_FUNCTION));
        else
            error_set(error, NULL, "name a function with --function, or draw the call graph with --calls");
        return NULL;
    }
    int64_t function = *ARRAY_AT(int64_t, functions, 0);
    return dominators ? graph_of_dominators(session->connection, function, &options, error)
                      : graph_of_flow(session->connection, function, &options, error);
}

static bool write_graph(struct session *session, const struct invocation *invocation, struct drawing *drawing,
                        const char *format, struct error *error)
{
    size_t nodes = drawing_size(drawing);
    bool lays_out = strcmp(format, "dot") != 0;
    if (lays_out && nodes > MOST_NODES && !options_has(invocation, OPTION_FORCE))
        return error_set(
            error, NULL,
            "Graphviz may need hours to lay out %zu nodes: write a .dot file, %s, or use --force", nodes,
            options_has(invocation, OPTION_CALLS) ? "choose --function and --depth" : "try --short");
    session_release_interrupts();
    return drawing_write(drawing, format, session->out, error);
}

/* An option that would have no effect is an error: the user expects one. */
static bool check_options(const struct invocation *invocation, struct error *error)
{
    bool calls = options_has(invocation, OPTION_CALLS);
    if (calls && options_has(invocation, OPTION_DOMINATORS))
        return error_set(error, NULL, "choose one of --calls and --dominators");
    if (calls && options_has(invocation, OPTION_SHORT))
        return error_set(error, NULL, "--short applies to blocks, not to the call graph");
    if (options_has(invocation, OPTION_DEPTH) && !(calls && options_has(invocation, OPTION_FUNCTION)))
        return error_set(error, NULL,
                         "--depth needs --calls: it is the distance from --function in the call graph");
    return true;
}

int command_graph(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct array functions = ARRAY_OF(int64_t);
    const char *format;
    int code = 2;
    if (feature_needed(feature_GRAPHS, error) && check_options(invocation, error) &&
        graph_format(invocation, &format, error) &&
        session_open(&session, invocation, options_operand(invocation, 0), error)) {
        enum choice choice = choose_functions(session.connection, invocation, &functions, error);
        struct graph *graph = choice <= choice_FOUND ? build(&session, invocation, &functions, error) : NULL;
        struct drawing *drawing = graph ? graph_draw(graph) : NULL;
        if (choice > choice_FOUND)
            code = choice_exit(choice);
        else if (drawing && write_graph(&session, invocation, drawing, format, error))
            code = 0;
        drawing_free(drawing);
        graph_free(graph);
    }
    array_free(&functions);
    return session_end(&session, code, error);
}
