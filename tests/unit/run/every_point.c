/* every-point PROGRAM PLAN DENSITY SEED: a plan with events before, after and on the taken way of
   instructions, all over a program.  DENSITY is the share of places that get one, in percent.  Values are
   registers by chance; what is free is what run/probe/site/free.h says, or nothing.
   tests/commands/run/probe_every.py runs programs with it. */
#include "code/read/read.h"
#include "code/structure/structure.h"
#include "run/probe/site/free.h"
#include "run/probe/plan/parts.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static struct probe_source some_source(bool is_arm)
{
    struct probe_source source = {
        .kind = PROBE_FROM_GENERAL, .base = (uint8_t)chance(is_arm ? 31 : 16), .index = PROBE_NO_REGISTER};
    if (!chance(8))
        source.kind = chance(2) ? PROBE_FROM_VECTOR : PROBE_FROM_CLOCK;
    return source;
}

static void add_points(struct probe_plan *plan, const struct model *model, uint32_t density)
{
    struct probe_freedom freedom;
    bool is_arm = model_program(model, 1)->isa == isa_AARCH64;
    probe_free_begin(&freedom, model);
    for (uint32_t row = 1; row < model->code.count; row++)
        for (unsigned where = PROBE_BEFORE; where <= PROBE_TAKEN; where++) {
            if (chance(100) >= density)
                continue;
            struct probe_subject one = {.kind = PROBE_OF_AT,
                                        .program = 1,
                                        .instruction = row,
                                        .how = {.kind = PROBE_VALUE, .width = 8}};
            uint32_t subject = probe_add_subject(plan, &one);
            struct probe_point *point = probe_add_point(plan, subject, row, (enum probe_where)where);
            point->action = probe_make_event(subject, PROBE_SEEN, some_source(is_arm));
            if (chance(4))
                point->free = probe_free_at(&freedom, row, (enum probe_where)where);
        }
    probe_free_end(&freedom);
}

int main(int count, char **words)
{
    struct model model;
    struct probe_plan plan;
    struct error error = {0};
    struct read_options options = {.without_debug = true};
    if (count != 5)
        return 2;
    model_init(&model);
    if (!read_file(&model, words[1], &options, &error) ||
        !structure_build(&model, &(struct structure_options){0}, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    state = strtoull(words[4], NULL, 0) * 2654435761u + 12345;
    probe_plan_init(&plan, &model);
    add_points(&plan, &model, (uint32_t)atoi(words[3]));
    probe_place(&plan);
    unsigned placed = 0, not_movable = 0;
    for (size_t i = 0; i < plan.subjects.count; i++) {
        uint8_t refusal = ARRAY_AT(struct probe_subject, &plan.subjects, i)->refusal;
        placed += refusal <= PROBE_REFUSED_FAR;
        not_movable += refusal == PROBE_REFUSED_NOT_MOVABLE;
    }
    printf("%u placed, %u not movable, %zu windows\n", placed, not_movable, plan.windows.windows.count);
    bool is_written = probe_plan_write(&plan, words[2], &error);
    if (!is_written)
        fprintf(stderr, "%s\n", error.text);
    probe_plan_free(&plan);
    model_free(&model);
    return is_written ? 0 : 1;
}
