/* Skeletons: shapes that parallel programs often have, as one construct each.  They are made of the usual terms, as if somebody had
   written (names of actions in small letters, those of components as they are reported):

       pipeline((a, r), (b, s)[2], (c, t)) by (move, m)
           Stage_a = (a, r).(move_1, m).Stage_a;     Stage_b = (move_1, T).(b, s).(move_2, m).Stage_b;
           Stage_c = (move_2, T).(c, t).Stage_c;     (Stage_a <move_1> Stage_b[2]) <move_2> Stage_c

       farm((work, r), 3) by (give, g), (take, t)
           Giver = (give, g).Giver;   Taker = (take, t).Taker;   Worker = (give, T).(work, r).(take, T).Worker;
           (Giver <give> Worker[3]) <take> Taker

       deal((work, r), 2) by (give, g), (take, t)
           Giver = (give_1, g).(give_2, g).Giver;    Taker = (take_1, t).(take_2, t).Taker;
           Worker_1 = (give_1, T).(work, r).(take_1, T).Worker_1;   and so on
           (Giver <give_1, give_2> (Worker_1 || Worker_2)) <take_1, take_2> Taker

   A farm gives the next task to whoever is free, a deal to one after the other, and takes results in that order. */
#include "plan/modelling/pepa/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct pepa_model *model;
    struct pepa_place place;
    struct error *error;
    bool is_fine;
};

static uint32_t term(struct making *making, struct pepa_term made)
{
    uint32_t index = 0;
    made.place = making->place;
    making->is_fine = making->is_fine && pepa_term_add(making->model, made, &index, making->error);
    return index;
}

static uint32_t reference(struct making *making, uint32_t definition)
{
    PEPA_DEFINITION(making->model, definition)->is_used = true;
    return term(making, (struct pepa_term){
                            .kind = pepa_NAME, .name = definition, .left = pepa_NONE, .right = pepa_NONE});
}

static uint32_t prefix(struct making *making, uint32_t action, struct pepa_rate rate, uint32_t next)
{
    return term(making,
                (struct pepa_term){
                    .kind = pepa_PREFIX, .name = action, .rate = rate, .left = next, .right = pepa_NONE});
}

static struct pepa_rate passive(void)
{
    return (struct pepa_rate){1, true};
}

/* A definition of a name that nobody has: Stage_read, or Stage_read_2. */
static uint32_t define(struct making *making, const char *stem, const char *part)
{
    struct pepa_model *model = making->model;
    char *name = part ? memory_format("%s_%s", stem, part) : memory_format("%s", stem);
    string_id id = strings_add(&model->names, name);
    for (unsigned i = 2; pepa_find(model, pepa_DEFINITIONS, id) != pepa_NONE ||
                         pepa_find(model, pepa_CONSTANTS, id) != pepa_NONE;
         i++) {
        char *longer = memory_format("%s_%u", name, i);
        id = strings_add(&model->names, longer);
        free(longer);
    }
    free(name);
    uint32_t made = (uint32_t)model->definitions.count;
    *(struct pepa_definition *)array_add(&model->definitions) =
        (struct pepa_definition){.name = id, .term = pepa_NONE, .place = making->place, .is_used = true};
    pepa_name(model, pepa_DEFINITIONS, id, made);
    return made;
}

static uint32_t numbered(struct pepa_model *model, string_id action, uint32_t number)
{
    char *name = memory_format("%s_%u", strings_text(&model->names, action), number);
    uint32_t made = pepa_action(model, strings_add(&model->names, name));
    free(name);
    return made;
}

static uint32_t cooperate(struct making *making, uint32_t left, uint32_t right, const uint32_t *actions,
                          uint32_t count)
{
    struct array *sets = &making->model->sets;
    struct pepa_term made = {.kind = pepa_COOPERATION,
                             .left = left,
                             .right = right,
                             .set = (uint32_t)sets->count,
                             .set_count = count};
    for (uint32_t i = 0; i < count; i++)
        *(uint32_t *)array_add(sets) = actions[i];
    return term(making, made);
}

static uint32_t replicate(struct making *making, uint32_t what, uint32_t count)
{
    return count == 1 ? what
                      : term(making, (struct pepa_term){.kind = pepa_REPLICAS,
                                                        .left = what,
                                                        .right = pepa_NONE,
                                                        .set = (uint32_t)making->model->sets.count,
                                                        .count = count});
}

static uint32_t pipeline(struct making *making, const struct pepa_activity *stages, uint32_t count,
                         const struct pepa_activity *by)
{
    uint32_t line = pepa_NONE, before = 0;
    for (uint32_t i = 0; i < count && making->is_fine; i++) {
        uint32_t definition = define(making, "Stage", strings_text(&making->model->names, stages[i].action)),
                 after = 0;
        uint32_t body = reference(making, definition);
        if (i + 1 < count) {
            after = numbered(making->model, by->action, i + 1);
            body = prefix(making, after, by->rate, body);
        }
        body = prefix(making, pepa_action(making->model, stages[i].action), stages[i].rate, body);
        if (i)
            body = prefix(making, before, passive(), body);
        PEPA_DEFINITION(making->model, definition)->term = body;
        uint32_t stage = replicate(making, reference(making, definition), stages[i].count);
        line = i ? cooperate(making, line, stage, &before, 1) : stage;
        before = after;
    }
    return line;
}

/* Whoever gives or takes: the actions one after the other, and again. */
static uint32_t round_of(struct making *making, const char *name, const uint32_t *actions, uint32_t count,
                         struct pepa_rate rate)
{
    uint32_t definition = define(making, name, NULL), body = reference(making, definition);
    for (uint32_t i = count; i-- > 0;)
        body = prefix(making, actions[i], rate, body);
    PEPA_DEFINITION(making->model, definition)->term = body;
    return reference(making, definition);
}

static uint32_t worker(struct making *making, const char *number, uint32_t give,
                       const struct pepa_activity *work, uint32_t take)
{
    uint32_t definition = define(making, "Worker", number), body = reference(making, definition);
    body = prefix(making, give, passive(),
                  prefix(making, pepa_action(making->model, work->action), work->rate,
                         prefix(making, take, passive(), body)));
    PEPA_DEFINITION(making->model, definition)->term = body;
    return reference(making, definition);
}

static uint32_t farm(struct making *making, const struct pepa_activity *work,
                     const struct pepa_activity by[2])
{
    uint32_t give = pepa_action(making->model, by[0].action), take = pepa_action(making->model, by[1].action);
    uint32_t workers = replicate(making, worker(making, NULL, give, work, take), work->count);
    uint32_t fed = cooperate(making, round_of(making, "Giver", &give, 1, by[0].rate), workers, &give, 1);
    return cooperate(making, fed, round_of(making, "Taker", &take, 1, by[1].rate), &take, 1);
}

static uint32_t deal(struct making *making, const struct pepa_activity *work,
                     const struct pepa_activity by[2])
{
    uint32_t *gives = memory_get(work->count * sizeof *gives),
             *takes = memory_get(work->count * sizeof *takes);
    uint32_t workers = pepa_NONE;
    for (uint32_t i = 0; i < work->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i + 1);
        gives[i] = numbered(making->model, by[0].action, i + 1);
        takes[i] = numbered(making->model, by[1].action, i + 1);
        uint32_t made = worker(making, number, gives[i], work, takes[i]);
        workers = i ? cooperate(making, workers, made, NULL, 0) : made;
    }
    uint32_t giver = round_of(making, "Giver", gives, work->count, by[0].rate);
    uint32_t fed = cooperate(making, giver, workers, gives, work->count);
    uint32_t all =
        cooperate(making, fed, round_of(making, "Taker", takes, work->count, by[1].rate), takes, work->count);
    free(gives);
    free(takes);
    return all;
}

bool pepa_skeleton(struct pepa_model *model, enum pepa_skeletons kind, const struct pepa_activity *stages,
                   uint32_t count, const struct pepa_activity by[2], struct pepa_place place, uint32_t *index,
                   struct error *error)
{
    struct making making = {model, place, error, true};
    *index = kind == pepa_PIPELINE ? pipeline(&making, stages, count, by)
             : kind == pepa_FARM   ? farm(&making, stages, by)
                                   : deal(&making, stages, by);
    return making.is_fine;
}
