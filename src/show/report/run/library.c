/* Calls of run-time libraries, by who calls them: rows of the ranking, and what usually helps.

   Callers are worth a line where they have a noticeable share.  Calls of one caller that have one cure stand
   together (malloc and free); where calls of many callers add up to as much, one line has the largest of
   them. */
#include "show/report/run/parts.h"

#include "base/path.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 3, NAME_WIDTH = 36 };
static const double NOTICEABLE = 0.05, LEAST_BACK = 0.01; /* shares of the run */

static const struct run_library_call *call_at(const struct run_report *report, uint32_t call)
{
    return model_run_library_call(report->model, call);
}

/* A function of the sources that was inlined in several places is one caller. */
static bool has_same_caller(const struct run_library_call *a, const struct run_library_call *b)
{
    if (a->inlined || b->inlined)
        return a->inlined == b->inlined && a->source == b->source;
    return a->function == b->function && a->caller == b->caller;
}

static struct run_hot *hot_of(const struct run_report *report, const struct run_library_call *call)
{
    for (size_t i = 0; i < report->hot.count; i++) {
        struct run_hot *hot = ARRAY_AT(struct run_hot, &report->hot, i);
        const struct run_library_call *other = hot->library_call ? call_at(report, hot->library_call) : NULL;
        if (other && call->line && other->name == call->name && other->line == call->line &&
            other->source == call->source && has_same_caller(other, call))
            return hot;
    }
    return NULL;
}

void run_add_library_calls(struct run_report *report)
{
    const struct model *model = report->model;
    double all = report->run->sampled_seconds;
    for (uint32_t id = 1; id < model->run_library_calls.count; id++) {
        const struct run_library_call *call = call_at(report, id);
        if (call->run != report->view->run || !(call->self_seconds > 0))
            continue;
        struct run_hot *known = hot_of(report, call);
        if (known) {
            known->samples += call->samples;
            known->seconds += call->self_seconds;
            known->share = all > 0 ? known->seconds / all : 0;
            continue;
        }
        *(struct run_hot *)array_add(&report->hot) =
            (struct run_hot){.library_call = id,
                             .function = call->function < model->functions.count ? call->function : 0,
                             .samples = call->samples,
                             .seconds = call->self_seconds,
                             .share = all > 0 ? call->self_seconds / all : 0};
    }
}

char *run_library_name(const struct run_report *report, uint32_t call)
{
    const char *name = model_text(report->model, call_at(report, call)->name);
    return run_code_name(report, name ? name : "?");
}

char *run_library_caller(const struct run_report *report, uint32_t id)
{
    const struct run_library_call *call = call_at(report, id);
    const char *inlined = model_text(report->model, call->inlined),
               *name = model_text(report->model, call->caller);
    if (inlined)
        return run_code_name(report, inlined);
    if (call->function && call->function < report->model->functions.count)
        return run_name(report, call->function, 0);
    return name ? run_code_name(report, name) : NULL;
}

char *run_library_place(const struct run_report *report, uint32_t id)
{
    const struct model *model = report->model;
    const struct run_library_call *call = call_at(report, id);
    char *place = run_line_place(report, call->source, call->line);
    if (place || !call->function || call->function >= model->functions.count)
        return place ? place : run_file_name(report, call->file);
    uint32_t program = model_function(model, call->function)->program;
    const char *path =
        program < model->programs.count ? model_text(model, model_program(model, program)->path) : NULL;
    return memory_format("%s", path ? path_name(path) : "?");
}

/* Share of the run in the library and in its code that was inlined. */
static double call_share(const struct run_report *report, const struct run_library_call *call)
{
    double all = report->run->sampled_seconds, seconds = call->self_seconds;
    if (call->inlined_seconds > 0)
        seconds += call->inlined_seconds;
    return all > 0 && seconds > 0 ? seconds / all : 0;
}

/* ---- calls with one cure ---- */

struct library_group {
    struct array calls; /* of uint32_t: rows, the most time first */
    double share, saving;
    uint64_t samples;
    bool is_split; /* of several callers */
};

static bool has_same_cure(const struct run_library_call *a, const struct run_library_call *b)
{
    return a->cure || b->cure ? a->cure == b->cure : a->name == b->name;
}

/* Calls like this one that no group has yet. */
static struct library_group gather(const struct run_report *report, uint32_t first, const bool *is_done,
                                   bool is_split)
{
    struct library_group group = {.calls = ARRAY_OF(uint32_t), .is_split = is_split};
    const struct run_library_call *like = call_at(report, first);
    for (uint32_t id = first; id < report->model->run_library_calls.count; id++) {
        const struct run_library_call *call = call_at(report, id);
        if (is_done[id] || call->run != like->run || !has_same_cure(like, call) ||
            (!is_split && !has_same_caller(like, call)))
            continue;
        *(uint32_t *)array_push(&group.calls) = id;
        group.share += call_share(report, call);
        group.saving += call->saving > 0 ? call->saving : 0;
        group.samples += call->samples;
    }
    return group;
}

static int by_share(const void *left, const void *right)
{
    const struct library_group *a = left, *b = right;
    return a->share > b->share ? -1 : a->share < b->share;
}

/* Groups of a noticeable share: first those of one caller, then what is left of each cure. */
static struct array find_groups(const struct run_report *report)
{
    struct array groups = ARRAY_OF(struct library_group);
    size_t count = report->model->run_library_calls.count;
    autofree bool *is_done = memory_get(count + 1);
    for (int is_split = 0; is_split <= 1; is_split++) {
        autofree bool *is_seen = memory_get(count + 1);
        for (uint32_t id = 1; id < count; id++) {
            if (is_done[id] || is_seen[id] || call_at(report, id)->run != report->view->run)
                continue;
            struct library_group group = gather(report, id, is_done, is_split);
            bool is_kept = group.share >= NOTICEABLE;
            for (size_t i = 0; i < group.calls.count; i++)
                (is_kept ? is_done : is_seen)[*ARRAY_AT(uint32_t, &group.calls, i)] = true;
            if (is_kept)
                *(struct library_group *)array_push(&groups) = group;
            else
                array_free(&group.calls);
        }
    }
    if (groups.count)
        qsort(groups.data, groups.count, groups.width, by_share);
    return groups;
}

/* ---- sentences ---- */

/* Adds a text that is not there yet, at most MOST_NAMED; takes it. */
static void add_once(struct array *texts, char *text, bool *has_more)
{
    bool is_there = !text;
    for (size_t i = 0; text && i < texts->count; i++)
        is_there |= !strcmp(*ARRAY_AT(char *, texts, i), text);
    if (!is_there && texts->count >= MOST_NAMED)
        *has_more = true;
    if (is_there || texts->count >= MOST_NAMED)
        free(text);
    else
        *(char **)array_push(texts) = text;
}

/* "malloc and free", "malloc, calloc, free and others"; frees the texts. */
static char *join(struct array *texts, bool has_more)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < texts->count; i++)
        fprintf(out, "%s%s",
                !i                                   ? ""
                : i + 1 == texts->count && !has_more ? " and "
                                                     : ", ",
                *ARRAY_AT(char *, texts, i));
    fputs(has_more ? " and others" : "", out);
    fclose(out);
    sentences_free(texts);
    return text;
}

static char *group_names(const struct run_report *report, const struct library_group *group)
{
    struct array names = ARRAY_OF(char *);
    bool has_more = false;
    for (size_t i = 0; i < group->calls.count; i++) {
        autofree char *name = run_library_name(report, *ARRAY_AT(uint32_t, &group->calls, i));
        add_once(&names, name_shorten(name, NAME_WIDTH, !report->is_plain), &has_more);
    }
    return join(&names, has_more);
}

/* "at psy.c:123 and psy.c:130 "; where the source is unknown, nothing. */
static char *group_places(const struct run_report *report, const struct library_group *group)
{
    struct array places = ARRAY_OF(char *);
    bool has_more = false;
    for (size_t i = 0; i < group->calls.count; i++) {
        const struct run_library_call *call = call_at(report, *ARRAY_AT(uint32_t, &group->calls, i));
        add_once(&places, run_line_place(report, call->source, call->line), &has_more);
    }
    bool is_known = places.count;
    autofree char *joined = join(&places, has_more);
    return is_known ? memory_format("at %s ", joined) : memory_format("%s", "");
}

/* "sort_all", or "insert (4 %), remove (3 %) and others". */
static char *group_callers(const struct run_report *report, const struct library_group *group)
{
    struct array callers = ARRAY_OF(char *);
    bool has_more = false;
    for (size_t i = 0; i < group->calls.count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, &group->calls, i);
        autofree char *caller = run_library_caller(report, id), *place = run_library_place(report, id);
        autofree char *shorter =
            name_shorten(caller ? caller : "unknown code", NAME_WIDTH, !report->is_plain);
        autofree char *share = phrase_share(call_share(report, call_at(report, id)));
        add_once(&callers,
                 group->is_split ? memory_format("%s, %s (%s)", shorter, place, share)
                                 : memory_format("%s", shorter),
                 &has_more);
    }
    return join(&callers, has_more);
}

/* "; 98 % with by_key, which it calls"; to be freed. */
static char *say_callback(const struct run_report *report, const struct library_group *group)
{
    const struct run_library_call *call = call_at(report, *ARRAY_AT(uint32_t, &group->calls, 0));
    double all = report->run->sampled_seconds;
    double back = call->callback && call->callback < report->model->functions.count && all > 0
                      ? call->callback_seconds / all
                      : 0;
    if (group->is_split || !(back >= LEAST_BACK))
        return memory_format("%s", "");
    autofree char *name = run_name(report, call->callback, 0);
    return memory_format("; %s %% with %s, which it calls", share_words(fmin(group->share + back, 1)).text,
                         name);
}

/* "; would save up to 13 % of the whole run"; to be freed. */
static char *say_saving(const struct library_group *group)
{
    if (!(group->saving > 0))
        return memory_format("%s", "");
    return memory_format("; another way would save up to %s %% of the whole run",
                         share_words(group->saving).text);
}

static char *say_heading(const struct run_report *report, const struct library_group *group)
{
    autofree char *names = group_names(report, group), *callers = group_callers(report, group);
    autofree char *share =
        run_share(report, group->share, run_error(report->run->samples) / sqrt(group->share));
    autofree char *saved = say_saving(group);
    if (group->is_split)
        return memory_format("%s: %s of the time, called from %s%s", names, share, callers, saved);
    autofree char *places = group_places(report, group), *back = say_callback(report, group);
    return memory_format("%s called %sin %s: %s of the time%s%s", names, places, callers, share, back, saved);
}

static char *say_cure(const struct run_report *report, const struct library_group *group)
{
    const struct run_library_call *first = call_at(report, *ARRAY_AT(uint32_t, &group->calls, 0));
    const char *finding = model_text(report->model, first->finding),
               *remedy = model_text(report->model, first->remedy);
    double cycles = 0;
    for (size_t i = 0; i < group->calls.count; i++) {
        const struct run_library_call *call = call_at(report, *ARRAY_AT(uint32_t, &group->calls, i));
        cycles += call->loop == first->loop ? call->cycles_per_iteration : NAN;
    }
    autofree char *figure = !group->is_split && isfinite(cycles) ? run_figure(cycles) : NULL;
    autofree char *cost =
        figure ? memory_format("%s cycles for an iteration of loop %u. ", figure, first->loop) : NULL;
    return memory_format("%s%s%s%s", cost ? cost : "", finding ? finding : "", finding && remedy ? " " : "",
                         remedy ? remedy : "");
}

double run_library_savings(const struct run_report *report)
{
    struct array groups = find_groups(report);
    double all = 0;
    for (size_t i = 0; i < groups.count; i++) {
        struct library_group *group = ARRAY_AT(struct library_group, &groups, i);
        all += i < report->rows ? group->saving : 0;
        array_free(&group->calls);
    }
    array_free(&groups);
    return all;
}

void run_say_library(const struct run_report *report, struct array *sentences)
{
    struct array groups = find_groups(report);
    for (size_t i = 0; i < groups.count; i++) {
        struct library_group *group = ARRAY_AT(struct library_group, &groups, i);
        if (i < report->rows) {
            sentences_say(sentences, say_heading(report, group));
            sentences_say(sentences, say_cure(report, group));
        }
        array_free(&group->calls);
    }
    array_free(&groups);
}
