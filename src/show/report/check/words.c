#include "show/report/check/check.h"

#include "base/nearest.h"
#include "model/demangle.h"
#include "show/report/common/loop_place.h"
#include "show/report/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const check_outcome_words[] = {"holds", "fails", "unknown", "gone", "no machine", "skipped"};

static const struct check_demand *demand_of(const struct check_view *view,
                                            const struct check_verdict *verdict)
{
    return check_demand_at(view->check, verdict->demand);
}

static struct service_place place_of_loop(const struct check_view *view, uint32_t loop)
{
    const struct model *model = view->check->model;
    struct loop_place place = loop_place_find(model, loop);
    const char *path = place.file ? model_text(model, model_file(model, place.file)->path) : NULL;
    return (struct service_place){.path = path ? service_path(view->root, path) : NULL,
                                  .line = place.first_line};
}

struct service_place check_place(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct check_demand *demand = demand_of(view, verdict);
    struct service_place own = {.line = demand->line, .column = demand->column};
    if (demand->origin != check_COMMENT && verdict->loop) {
        struct service_place place = place_of_loop(view, verdict->loop);
        if (place.path)
            return place;
    }
    if (verdict->file)
        return (struct service_place){.path = service_path(view->root, verdict->file), .line = verdict->line};
    own.path = demand->file ? service_path(view->root, demand->file) : NULL;
    return own;
}

const char *check_rule(const struct check *check, const struct check_verdict *verdict)
{
    const struct check_demand *demand = check_demand_at(check, verdict->demand);
    if (demand->origin == check_BASELINE)
        return "baseline";
    if (demand->origin == check_QUERY)
        return "query";
    if (verdict->outcome == check_GONE)
        return "loop-gone";
    return verdict->assertion ? verdict->assertion->word : "machine";
}

/* All assertions of a demand: "no spills, no calls". */
static char *all_assertions(const struct check_demand *demand)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < demand->assertions.list.count; i++)
        fprintf(out, "%s%s", i ? ", " : "", ARRAY_AT(struct assertion, &demand->assertions.list, i)->text);
    if (out)
        fclose(out);
    return text;
}

char *check_title(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct check_demand *demand = demand_of(view, verdict);
    if (demand->origin == check_BASELINE)
        return memory_format("at most %g %% slower than the baseline", 100 * view->check->allowed);
    if (demand->origin == check_QUERY)
        return memory_format("rule '%s'", demand->subject);
    return verdict->assertion ? memory_format("%s", verdict->assertion->text) : all_assertions(demand);
}

char *check_loop(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct model *model = view->check->model;
    if (!verdict->loop)
        return NULL;
    const char *name =
        model_text(model, model_function(model, model_loop(model, verdict->loop)->function)->name);
    autofree char *plain = view->demangle && name ? demangle_name(name) : NULL;
    autofree char *root = memory_format("%s/", view->root);
    autofree char *place = loop_place_words(model, verdict->loop, root);
    return memory_format("loop %u in %s, %s", verdict->loop, plain ? plain : name ? name : "?", place);
}

/* "128 bits", "3", "12.5 %". */
static char *figure_words(const struct assertion *assertion, double figure)
{
    bool is_share = assertion->columns[0] && assertion->columns[0]->is_share && !assertion->columns[1];
    if (is_share && (!*assertion->unit || !strcmp(assertion->unit, "%")))
        return memory_format("%.3g %%", 100 * figure);
    return memory_format("%.4g%s%s", figure / assertion->scale, *assertion->unit ? " " : "", assertion->unit);
}

/* What a word without a number stands for, as docs/metrics.md has it. */
static char *column_names(const struct assertion *assertion)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; out && i < MOST_SUMMANDS && assertion->columns[i]; i++)
        fprintf(out, "%s%s", i ? " + " : "", assertion->columns[i]->name);
    if (out)
        fclose(out);
    return text;
}

static char *failure(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct assertion *assertion = verdict->assertion;
    const struct check_demand *demand = demand_of(view, verdict);
    if (demand->origin == check_BASELINE) {
        const struct loop_change *change = verdict->change;
        autofree char *reasons = diff_reasons(change, view->check->comparison);
        char *words =
            memory_format("%.4g cycles %s instead of %.4g, %.3g %% slower%s%s", change->cycles[diff_NEW],
                          diff_unit_words(change->unit), change->cycles[diff_OLD], 100 * (change->ratio - 1),
                          *reasons ? ": " : "", reasons);
        return words;
    }
    if (demand->origin == check_QUERY)
        return memory_format("the query returns %s", verdict->text);
    if (assertion->kind == assertion_LIMIT)
        return memory_format("the limit is %s", core_part_word(verdict->part));
    if (assertion->kind == assertion_ADVICE)
        return memory_format("the report advises: %s", verdict->text);
    autofree char *figure = figure_words(assertion, verdict->figure);
    bool is_plain = !strpbrk(assertion->text, "<>=") && strncmp(assertion->text, "no ", 3);
    autofree char *columns = is_plain ? column_names(assertion) : NULL;
    return is_plain ? memory_format("%s is %s", columns, figure) : memory_format("found %s", figure);
}

static char *gone(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct check_demand *demand = demand_of(view, verdict);
    const struct model *model = view->check->model;
    if (demand->origin == check_COMMENT) {
        const struct source_lines *lines = &demand->lines;
        if (!lines->first)
            return memory_format("the loop is gone: no loop follows this comment in its block");
        if (lines->last == UINT32_MAX)
            return memory_format(
                "the loop is gone: no loop of the program comes from the lines after this comment");
        return memory_format("the loop is gone: no loop of the program comes from line%s %u-%u%s%s",
                             lines->last > lines->first ? "s" : "", lines->first, lines->last,
                             verdict->text ? "; the code there calls " : "",
                             verdict->text ? verdict->text : "");
    }
    if (demand->origin == check_LOOP)
        return memory_format("the loop is gone: no innermost loop at %s:%u", demand->subject,
                             demand->subject_line);
    if (demand->origin == check_FILE)
        return memory_format("the loops are gone: no innermost loop comes from %s", demand->subject);
    struct nearest nearest = {.wanted = demand->subject};
    bool is_known = false;
    for (uint32_t id = 1; id < model->functions.count && !is_known; id++) {
        const char *name = model_text(model, model_function(model, id)->name);
        is_known = name && !strcmp(name, demand->subject);
        if (name)
            nearest_offer(&nearest, name);
    }
    char *words = is_known ? memory_format("the loop is gone: %s has no loop", demand->subject)
                           : memory_format("no function %s has a loop%s%s%s", demand->subject,
                                           nearest.best ? "; did you mean " : "",
                                           nearest.best ? nearest.best : "", nearest.best ? "?" : "");
    free(nearest.best);
    return words;
}

static char *unknown(const struct check_verdict *verdict)
{
    const struct assertion *assertion = verdict->assertion;
    const char *column = assertion->columns[0] ? assertion->columns[0]->name : "";
    if (verdict->text)
        return memory_format("%s is unknown: the machine lacks %s", assertion->word, verdict->text);
    if (!strcmp(column, "cycles_per_element"))
        return memory_format("cycles per element are unknown: the code does not show how many elements an "
                             "iteration works on (cycles per iteration can be checked)");
    if (!strncmp(column, "vector_", 7))
        return memory_format("%s is unknown: the loop has no vectorisable instruction", assertion->word);
    return memory_format("%s is unknown for this loop", assertion->word);
}

static char *no_machine(const struct check_view *view, const struct check_verdict *verdict)
{
    const struct check_demand *demand = demand_of(view, verdict);
    const struct model *model = view->check->model;
    uint32_t loop = *ARRAY_AT(uint32_t, &demand->loops, 0);
    enum isa isa =
        model_program(model, model_function(model, model_loop(model, loop)->function)->program)->isa;
    autofree char *names = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&names, &size);
    for (size_t i = 0; out && i < demand->assertions.machines.count; i++)
        fprintf(out, "%s%s", i ? " and " : "", *ARRAY_AT(char *, &demand->assertions.machines, i));
    if (out)
        fclose(out);
    return memory_format(
        "not checked: %s %s not run %s code; name a machine that does (assay machines lists them)", names,
        demand->assertions.machines.count > 1 ? "do" : "does", isa_word(isa));
}

static char *reason(const struct check_view *view, const struct check_verdict *verdict)
{
    switch (verdict->outcome) {
    case check_HOLDS:
        return memory_format("holds");
    case check_FAILS:
        return failure(view, verdict);
    case check_UNKNOWN:
        return unknown(verdict);
    case check_GONE:
        return gone(view, verdict);
    case check_NO_MACHINE:
        return no_machine(view, verdict);
    case check_SKIPPED:
        return memory_format("skipped: %s does not run this code", verdict->machine);
    }
    return NULL;
}

char *check_sentence(const struct check_view *view, const struct check_verdict *verdict)
{
    char *why = reason(view, verdict), *loop = check_loop(view, verdict), *whole;
    char *path =
        verdict->path_count > 1 ? memory_format(", path %u of %u", verdict->path, verdict->path_count) : NULL;
    whole = memory_format("%s%s%s%s%s%s%s", why, loop ? " (" : "", loop ? loop : "", path ? path : "",
                          loop && verdict->machine ? ", on " : "",
                          loop && verdict->machine ? verdict->machine : "", loop ? ")" : "");
    free(why);
    free(loop);
    free(path);
    return whole;
}
