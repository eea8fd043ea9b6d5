/* Events that tell µops, from the files of counters/: those of this computer, or those of all processors of
   an instruction set, for a runner, which chooses among them where it runs. */
#include "run/bench/bench.h"
#include "run/sample/counters.h"

#include <stdio.h>

static void add_event(struct array *events, const struct counter_line *line, bool is_for_runner)
{
    struct bench_event *event = array_add(events);
    snprintf(event->what, sizeof event->what, "%s", line->counts);
    event->type = line->wish.type;
    event->config = line->wish.config;
    if (!is_for_runner || !line->processors)
        return;
    event->family = line->processors->family;
    for (unsigned i = 0; i < line->processors->count && i < BENCH_MODELS; i++)
        event->models[event->model_count++] = line->processors->models[i];
}

bool bench_find_events(struct array *events, enum isa isa, bool is_for_runner, const char *const *folders,
                       size_t folder_count, struct error *error)
{
    struct counter_tree tree;
    bool done = is_for_runner ? counters_read_for(&tree, isa, folders, folder_count, error)
                              : counters_read(&tree, folders, folder_count, error);
    for (size_t i = 0; done && i < tree.lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree.lines, i);
        bool is_encoded = is_for_runner || line->is_here || line->wish.config;
        if (line->name && line->counts && is_encoded)
            add_event(events, line, is_for_runner);
    }
    counters_free(&tree);
    return done;
}

const char *bench_refusal_of(const struct bench_results *results)
{
    switch (results->counters) {
    case bench_UNKNOWN_COUNTERS:
        return "the file of results does not say that anything was counted";
    case bench_COUNTED:
        return "other programs hold the counters";
    default:
        return results->refusal ? counters_refusal(results->refusal)
                                : "no file of counters/ has events for this processor (docs/counters.md)";
    }
}
