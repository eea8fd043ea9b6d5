/* From a listing and a plan to a listing with nodes, and back. */
#include "cli/nodes.h"

#include "base/progress.h"
#include "base/regular_file.h"
#include "code/read/read.h"
#include "code/structure/structure.h"
#include "run/probe/plan/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool nodes_read_text(const char *path, struct span *text, struct error *error)
{
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    uint8_t *data = memory_get(size + 1);
    int64_t count = regular_file_read(file, data, size);
    close(file);
    *text = (struct span){data, count < 0 ? 0 : (size_t)count};
    if (count >= 0)
        return true;
    free(data);
    return error_set_errno(error, path, "cannot be read");
}

static bool build(const struct session *session, struct model *model, const char *path, struct error *error)
{
    struct read_options reading;
    if (!session_reading(session, &reading, error))
        return false;
    trust_add_file(session->trust, path);
    struct structure_options structuring = {.threads = reading.threads};
    bool is_done = read_file(model, path, &reading, error) && structure_build(model, &structuring, error);
    memory_used_for(NULL);
    progress_clear();
    return is_done;
}

/* The rows of all wishes; with may_miss wish by wish, so that one may match nothing. */
static enum probe_choice_result find(const struct model *model, const struct nodes_work *work,
                                     struct probe_plan *plan, struct error *error)
{
    size_t rounds = work->may_miss ? work->choice->wishes.count : 1;
    enum probe_choice_result finding = PROBE_FOUND;
    for (size_t i = 0; finding == PROBE_FOUND && i < rounds; i++) {
        struct probe_choice part = *work->choice;
        struct probe_found found = {0};
        struct error missing = {0};
        if (work->may_miss) {
            part.wishes.data = array_at(&work->choice->wishes, i);
            part.wishes.count = 1;
        }
        finding = probe_choice_find(model, &part, &found, &missing);
        if (finding == PROBE_FOUND && !probe_plan_add(plan, &part, &found, error))
            finding = PROBE_BROKEN;
        probe_found_free(&found);
        if (finding == PROBE_MISSING && work->may_miss)
            finding = PROBE_FOUND;
        else if (missing.set)
            error_set(error, NULL, "%s", missing.text);
    }
    return finding;
}

int nodes_begin(const struct session *session, const struct nodes_work *work, struct nodes_state *state,
                struct error *error)
{
    struct model *model = &state->model;
    *state =
        (struct nodes_state){.listing = {.path = work->shown, .refused = ARRAY_OF(struct nodes_refused)}};
    model_init(model);
    probe_plan_init(&state->plan, model);
    if (!nodes_read_text(work->path, &state->listing.text, error) ||
        !build(session, model, work->path, error))
        return 2;
    if (model->listings.count < 2) {
        error_set(error, work->path, "is not an assembly listing; nodes go into the text of one");
        return 2;
    }
    state->listing.program = model_listing_text(model, 1)->program;
    state->listing.file = model_listing_text(model, 1)->file;
    enum probe_choice_result finding = find(model, work, &state->plan, error);
    return finding == PROBE_FOUND ? 0 : finding == PROBE_MISSING ? 1 : 2;
}

void nodes_end(struct nodes_state *state)
{
    probe_plan_free(&state->plan);
    model_free(&state->model);
    array_free(&state->listing.far);
    array_free(&state->listing.refused);
    free((void *)state->listing.text.data);
}

static int remove_nodes(struct session *session, const char *path, struct error *error)
{
    struct span text;
    struct array out = ARRAY_OF(char);
    if (!nodes_read_text(path, &text, error))
        return 2;
    bool is_done = nodes_remove(text, path, &out, error);
    if (is_done)
        fwrite(out.data, 1, out.count, session->out);
    array_free(&out);
    free((void *)text.data);
    return is_done ? 0 : 2;
}

/* Each subject without a node, and why; of many the first ones. */
static void say_refused(struct session *session, const struct nodes_state *state)
{
    static const char *const kinds[] = {"function", "loop", "a call", "a parameter", "a value", "an access"};
    static const char *const reasons[NODE_REFUSALS] = {
        [NODE_HAS_NO_PLACE] = "no place in the text is on that way alone",
        [NODE_HAS_NO_REGISTERS] = "there are too few registers that hold nothing",
        [NODE_IS_LATE] = "what it needs is only made in the same bundle",
        [NODE_HAS_NO_ADDRESS] = "its address is only known after linking",
        [NODE_IS_EXCLUSIVE] = "it is between a load-exclusive and its store-exclusive",
        [NODE_HAS_NO_VALUE] = "its value is in no register and at no address that a node can compute",
        [NODE_IS_RESOLVER] = "the dynamic linker calls it before there are threads"};
    enum { SHOWN = 10 };
    const struct array *refused = &state->listing.refused;
    const struct model *model = &state->model;
    for (size_t i = 0; i < refused->count && i < SHOWN; i++) {
        const struct nodes_refused *row = ARRAY_AT(struct nodes_refused, refused, i);
        const struct probe_subject *subject =
            ARRAY_AT(struct probe_subject, &state->plan.subjects, row->subject);
        uint32_t line = nodes_listing_line(model, row->instruction);
        bool is_whole = subject->kind == PROBE_OF_FUNCTION || !subject->function;
        session_say(session, "%s:%u: %s%s%s has no node: %s", state->listing.path, line,
                    subject->kind < sizeof kinds / sizeof *kinds ? kinds[subject->kind] : "something",
                    is_whole ? " " : " of ",
                    subject->function ? model_text(model, model_function(model, subject->function)->name)
                                      : "",
                    reasons[row->why]);
    }
    if (refused->count > SHOWN)
        session_say(session, "and %zu more", refused->count - SHOWN);
}

int nodes_asm(struct session *session, const struct invocation *invocation, struct error *error)
{
    const char *path = options_operand(invocation, 0);
    if (options_has(invocation, OPTION_WITHOUT_PROBES))
        return remove_nodes(session, path, error);
    struct probe_choice choice;
    struct nodes_outcome outcome = {0};
    struct array out = ARRAY_OF(char);
    probe_choice_init(&choice);
    struct nodes_work work = {.path = path, .shown = path, .choice = &choice};
    int code = 2;
    if (plan_text_read_file(&choice, options_value(invocation, OPTION_PROBE), error)) {
        struct nodes_state state;
        code = nodes_begin(session, &work, &state, error);
        if (!code && !nodes_insert(&state.plan, &state.listing, &out, &outcome, error))
            code = 2;
        if (!code)
            say_refused(session, &state);
        nodes_end(&state);
    }
    if (!code) {
        fwrite(out.data, 1, out.count, session->out);
        if (outcome.refused)
            session_say(session, "%u of %u subjects have no node", outcome.refused, outcome.subjects);
    }
    array_free(&out);
    probe_choice_free(&choice);
    return code;
}
