#include "code/check/check.h"

#include <stdlib.h>
#include <string.h>

void check_begin(struct check *check)
{
    *check = (struct check){.demands = ARRAY_OF(struct check_demand),
                            .verdicts = ARRAY_OF(struct check_verdict),
                            .problems = ARRAY_OF(char *),
                            .sources = ARRAY_OF(struct check_source),
                            .missing = ARRAY_OF(char *),
                            .newer = ARRAY_OF(char *),
                            .lines = ARRAY_OF(struct check_line)};
}

static void free_demand(struct check_demand *demand)
{
    free(demand->file);
    free(demand->subject);
    free(demand->sql);
    assertions_free(&demand->assertions);
    array_free(&demand->loops);
}

void check_end(struct check *check)
{
    for (size_t i = 0; i < check->demands.count; i++)
        free_demand(check_demand_at(check, i));
    for (size_t i = 0; i < check->verdicts.count; i++) {
        struct check_verdict *verdict = check_verdict_at(check, i);
        free(verdict->machine);
        free(verdict->text);
        free(verdict->file);
    }
    for (size_t i = 0; i < check->sources.count; i++) {
        struct check_source *source = ARRAY_AT(struct check_source, &check->sources, i);
        free(source->path);
        free(source->text);
        source_text_free(&source->read);
    }
    array_free(&check->demands);
    array_free(&check->verdicts);
    array_free(&check->sources);
    array_free(&check->lines);
    array_free_texts(&check->problems);
    array_free_texts(&check->missing);
    array_free_texts(&check->newer);
    free(check->source_of);
}

struct check_demand *check_add_demand(struct check *check, enum check_origin origin, const char *file,
                                      uint32_t line, uint32_t column)
{
    struct check_demand *demand = array_add(&check->demands);
    demand->origin = origin;
    demand->file = file ? memory_format("%s", file) : NULL;
    demand->line = line;
    demand->column = column;
    demand->loops = ARRAY_OF(uint32_t);
    return demand;
}

struct check_verdict *check_add_verdict(struct check *check, uint32_t demand, enum check_outcome outcome)
{
    struct check_verdict *verdict = array_add(&check->verdicts);
    verdict->demand = demand;
    verdict->outcome = outcome;
    return verdict;
}

size_t check_failures(const struct check *check)
{
    size_t count = 0;
    for (size_t i = 0; i < check->verdicts.count; i++)
        count += check_is_bad(check_verdict_at(check, i));
    return count;
}

bool check_has_queries(const struct check *check)
{
    for (size_t i = 0; i < check->demands.count; i++)
        if (check_demand_at(check, i)->origin == check_QUERY)
            return true;
    return false;
}

bool check_is_slower(const struct loop_change *change, double allowed)
{
    return change->match.rows[diff_OLD] && change->match.rows[diff_NEW] && !change->depends &&
           change->ratio > 1 + allowed;
}

void check_compare(struct check *check, const struct comparison *comparison, const struct array *changes,
                   double allowed)
{
    uint32_t demand = (uint32_t)check->demands.count;
    size_t before = check->verdicts.count;
    check_add_demand(check, check_BASELINE, NULL, 0, 0);
    check->comparison = comparison;
    check->allowed = allowed;
    for (size_t i = 0; i < changes->count; i++) {
        const struct loop_change *change = ARRAY_AT(struct loop_change, changes, i);
        if (!check_is_slower(change, allowed))
            continue;
        struct check_verdict *verdict = check_add_verdict(check, demand, check_FAILS);
        verdict->loop = change->match.rows[diff_NEW];
        verdict->change = change;
    }
    if (check->verdicts.count == before)
        check_add_verdict(check, demand, check_HOLDS);
}
