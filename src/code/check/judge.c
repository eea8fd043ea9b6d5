/* Verdicts: what the tables of code/quality/ say of a loop against what was asserted.

   An assertion has to hold on every path through a loop; the verdict is about the worst one. */
#include "code/check/check.h"

#include "code/quality/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judging {
    struct check *check;
    const struct machine *const *machines; /* by ISA of the machine */
    const char *name;                      /* after `on`; NULL: none */
};

static bool is_for(const struct check_demand *demand, const char *name)
{
    const struct array *names = &demand->assertions.machines;
    if (!name || !names->count)
        return !name && !names->count;
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(*ARRAY_AT(char *, names, i), name))
            return true;
    return false;
}

static enum isa isa_of(const struct model *model, uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    return (enum isa)model_program(model, model_function(model, function)->program)->isa;
}

static const struct machine *machine_of(const struct machine *const *machines, enum isa isa)
{
    for (unsigned i = 0; i < isa_COUNT; i++)
        if (machines[i] && machine_runs(machines[i], isa))
            return machines[i];
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

struct array check_loops(const struct check *check, const struct machine *const *machines, const char *name)
{
    struct array loops = ARRAY_OF(uint32_t);
    size_t kept = 0;
    for (size_t i = 0; i < check->demands.count; i++) {
        const struct check_demand *demand = check_demand_at(check, i);
        for (size_t k = 0; k < demand->loops.count && is_for(demand, name); k++) {
            uint32_t loop = *ARRAY_AT(uint32_t, &demand->loops, k);
            if (!machines || machine_of(machines, isa_of(check->model, loop)))
                *(uint32_t *)array_push(&loops) = loop;
        }
    }
    if (loops.count)
        qsort(loops.data, loops.count, sizeof(uint32_t), by_number);
    for (size_t i = 0; i < loops.count; i++)
        if (!kept || *ARRAY_AT(uint32_t, &loops, kept - 1) != *ARRAY_AT(uint32_t, &loops, i))
            *ARRAY_AT(uint32_t, &loops, kept++) = *ARRAY_AT(uint32_t, &loops, i);
    loops.count = kept;
    return loops;
}

struct array check_machine_names(const struct check *check)
{
    struct array names = ARRAY_OF(const char *);
    for (size_t i = 0; i < check->demands.count; i++) {
        const struct array *of = &check_demand_at(check, i)->assertions.machines;
        for (size_t k = 0; k < of->count; k++) {
            const char *name = *ARRAY_AT(char *, of, k);
            bool is_known = false;
            for (size_t m = 0; m < names.count && !is_known; m++)
                is_known = !strcmp(*ARRAY_AT(const char *, &names, m), name);
            if (!is_known)
                *(const char **)array_push(&names) = name;
        }
    }
    return names;
}

static uint32_t family_of(const struct model *model, uint32_t loop)
{
    const struct loop_role_row *role = families_role(model, loop);
    return role ? role->family : 0;
}

/* How far a loop is from the main loop of its family: 0 is it. */
static int distance(const struct model *model, uint32_t loop)
{
    const struct loop_role_row *role = families_role(model, loop);
    if (!role || role->role == loop_role_ONLY || role->role == loop_role_MAIN)
        return 0;
    return role->role == loop_role_VERSION ? 1 : 2;
}

/* Whether a loop stands for its source loop: no other loop of the demand is of the same family and nearer to
   its main loop. */
static bool is_judged(const struct model *model, const struct array *loops, uint32_t loop)
{
    uint32_t family = family_of(model, loop);
    int own = distance(model, loop);
    for (size_t i = 0; i < loops->count && family && own; i++) {
        uint32_t other = *ARRAY_AT(uint32_t, loops, i);
        if (family_of(model, other) == family && distance(model, other) < own)
            return false;
    }
    return true;
}

static double figure_of(const struct assertion *assertion, const void *record)
{
    double sum = 0;
    for (unsigned i = 0; i < MOST_SUMMANDS && assertion->columns[i]; i++)
        sum += table_number(assertion->columns[i], record);
    return sum;
}

/* Whether a figure is further from what is wanted than another. */
static bool is_worse(const struct assertion *assertion, double figure, double than)
{
    switch (assertion->comparison) {
    case comparator_AT_MOST:
    case comparator_BELOW:
        return figure > than;
    case comparator_AT_LEAST:
    case comparator_ABOVE:
        return figure < than;
    case comparator_EQUAL:
        return fabs(figure - assertion->number) > fabs(than - assertion->number);
    }
    return false;
}

static void judge_figure(const struct model *model, struct check_verdict *verdict)
{
    const struct assertion *assertion = verdict->assertion;
    size_t at =
        array_first_not_below(&model->loop_metrics, 0, offsetof(struct loop_metric, loop), verdict->loop);
    verdict->figure = NAN;
    if (assertion->is_of_roles) {
        const struct loop_role_row *role = families_role(model, verdict->loop);
        verdict->figure = role ? figure_of(assertion, role) : NAN;
        verdict->path_count = 1;
    }
    for (; !assertion->is_of_roles && at < model->loop_metrics.count; at++) {
        const struct loop_metric *metric = model_loop_metric(model, (uint32_t)at);
        if (metric->loop != verdict->loop)
            break;
        double figure = figure_of(assertion, metric);
        bool is_first = !verdict->path_count++;
        if (is_first || isnan(figure) ||
            (!isnan(verdict->figure) && is_worse(assertion, figure, verdict->figure))) {
            verdict->figure = figure;
            verdict->path = metric->path;
        }
        if (isnan(figure))
            break;
    }
    verdict->outcome = isnan(verdict->figure)                        ? check_UNKNOWN
                       : assertion_holds(assertion, verdict->figure) ? check_HOLDS
                                                                     : check_FAILS;
}

/* Why a loop has no cycles: the extension that the machine lacks. */
static char *lacking(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), loop);
    for (; at < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)at)->loop == loop; at++) {
        const char *extension = model_text(model, model_loop_cycle(model, (uint32_t)at)->lacking_extension);
        if (extension)
            return memory_format("%s", extension);
    }
    return NULL;
}

static void judge_limit(const struct model *model, struct check_verdict *verdict)
{
    const struct assertion *assertion = verdict->assertion;
    size_t at =
        array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), verdict->loop);
    verdict->outcome = check_UNKNOWN;
    for (; at < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)at)->loop == verdict->loop;
         at++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)at);
        verdict->path_count++;
        if (!(row->cycles > 0) || verdict->outcome == check_FAILS)
            continue;
        verdict->part = row->limit;
        verdict->path = row->path;
        verdict->outcome = (row->limit == assertion->part) == assertion->is_not ? check_FAILS : check_HOLDS;
    }
}

/* Hints and what experts read are not advice to act on, unless a rule is named. */
static void judge_advice(const struct model *model, struct check_verdict *verdict)
{
    const char *wanted = verdict->assertion->rule;
    verdict->outcome = check_HOLDS;
    for (size_t at = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), verdict->loop);
         at < model->advice.count && model_advice(model, (uint32_t)at)->loop == verdict->loop; at++) {
        const struct advice *advice = model_advice(model, (uint32_t)at);
        const struct rule_row *rule = model_rule_row(model, advice->rule);
        const char *name = model_text(model, rule->name);
        bool is_meant = wanted
                            ? name && !strcmp(name, wanted)
                            : advice->level == advice_level_GAIN || advice->level == advice_level_POTENTIAL;
        if (!is_meant)
            continue;
        verdict->outcome = check_FAILS;
        verdict->path = advice->path;
        verdict->text = memory_format("%s (%s)", model_text(model, rule->title), name);
        return;
    }
}

static void judge_loop(const struct judging *judging, uint32_t demand, const struct assertion *assertion,
                       uint32_t loop, const struct machine *machine)
{
    const struct model *model = judging->check->model;
    struct check_verdict *verdict = check_add_verdict(judging->check, demand, check_HOLDS);
    verdict->assertion = assertion;
    verdict->loop = loop;
    verdict->machine = memory_format("%s", machine->name);
    if (assertion->kind == assertion_FIGURE)
        judge_figure(model, verdict);
    else if (assertion->kind == assertion_LIMIT)
        judge_limit(model, verdict);
    else
        judge_advice(model, verdict);
    if (verdict->outcome == check_UNKNOWN)
        verdict->text = lacking(model, loop);
}

static void judge_demand(const struct judging *judging, uint32_t place)
{
    struct check *check = judging->check;
    const struct check_demand *demand = check_demand_at(check, place);
    for (size_t i = 0; i < demand->loops.count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, &demand->loops, i);
        const struct machine *machine = machine_of(judging->machines, isa_of(check->model, loop));
        if (!machine || !is_judged(check->model, &demand->loops, loop))
            continue;
        for (size_t k = 0; k < demand->assertions.list.count; k++)
            judge_loop(judging, place, ARRAY_AT(struct assertion, &demand->assertions.list, k), loop,
                       machine);
    }
}

void check_judge(struct check *check, const struct machine *const *machines, const char *name)
{
    struct judging judging = {check, machines, name};
    for (uint32_t i = 0; i < check->demands.count; i++) {
        const struct check_demand *demand = check_demand_at(check, i);
        size_t before = check->verdicts.count;
        if (!demand->loops.count || !is_for(demand, name))
            continue;
        judge_demand(&judging, i);
        if (check->verdicts.count == before)
            check_add_verdict(check, i, check_SKIPPED)->machine = memory_format("%s", name ? name : "");
    }
}

static int by_demand(const void *a, const void *b)
{
    const struct check_verdict *x = a, *y = b;
    if (x->demand != y->demand)
        return x->demand < y->demand ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void check_conclude(struct check *check)
{
    size_t count = check->verdicts.count;
    for (uint32_t i = 0; i < check->demands.count; i++) {
        bool is_judged_somewhere = false;
        const struct check_demand *demand = check_demand_at(check, i);
        for (size_t k = 0; k < count; k++) {
            const struct check_verdict *verdict = check_verdict_at(check, k);
            is_judged_somewhere |= verdict->demand == i && verdict->outcome != check_SKIPPED;
        }
        if (!is_judged_somewhere && demand->loops.count)
            check_add_verdict(check, i, check_NO_MACHINE);
    }
    for (size_t i = 0; i < check->verdicts.count; i++)
        check_verdict_at(check, i)->order = (uint32_t)i;
    if (check->verdicts.count)
        qsort(check->verdicts.data, check->verdicts.count, sizeof(struct check_verdict), by_demand);
}
