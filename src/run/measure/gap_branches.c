/* Branches that cannot be predicted.

   A counter of mispredicted branches shows them, or the outcomes that a third run recorded, on which a
   predictor was simulated (probe_branches).  With the paths alone (run_paths) there is a bound: a branch that
   goes one way with share p is mispredicted in at most min(p, 1 - p) of its executions by any predictor that
   only knows p; patterns that a predictor learns make it less.  So that estimate is likely at best.  Branches
   that may end the loop are not counted: these are gap_short_trips.c's.  Where nothing is known, a loop that
   has several paths may have such a branch, unless its samples wait for something else. */
#include "run/measure/gap_subject.h"

#include <math.h>

static const double LEAST_MISSES = 0.01;  /* an iteration */
static const double MOST_ELSEWHERE = 0.5; /* of its samples that wait for loads and stores */

struct branch {
    uint32_t block, next;
    double executed; /* share of the iterations that went from block to next */
};

static void count(struct array *branches, uint32_t block, uint32_t next, double share)
{
    for (size_t i = 0; i < branches->count; i++) {
        struct branch *branch = ARRAY_AT(struct branch, branches, i);
        if (branch->block == block && branch->next == next) {
            branch->executed += share;
            return;
        }
    }
    *(struct branch *)array_add(branches) = (struct branch){block, next, share};
}

static double share_of(const struct gap_subject *subject, uint32_t path)
{
    const struct model *model = subject->model;
    for (uint32_t i = 0; i < model->run_paths.count; i++) {
        const struct run_path *row = model_run_path(model, i);
        if (row->run == subject->row->run && row->loop == subject->row->loop && row->path == path)
            return row->share;
    }
    return 0;
}

static bool is_exit(const struct model *model, uint32_t loop, uint32_t position)
{
    const struct array *table = &model->paths;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path, loop), loop);
         i < table->count && model_path(model, (uint32_t)i)->loop == loop; i++)
        if (model_path(model, (uint32_t)i)->position == position)
            return model_path(model, (uint32_t)i)->is_exit;
    return true;
}

/* Steps from block to block of all paths that go round, with how often they were taken. */
static struct array branches_of(const struct gap_subject *subject)
{
    const struct model *model = subject->model;
    struct array branches = ARRAY_OF(struct branch);
    const struct array *table = &model->path_blocks;
    uint32_t loop = subject->row->loop, header = 0, last_path = 0, last_block = 0;
    double share = 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path_block, loop), loop);
         i < table->count && model_path_block(model, (uint32_t)i)->loop == loop; i++) {
        const struct path_block *row = model_path_block(model, (uint32_t)i);
        if (row->path != last_path) {
            if (last_path && share > 0)
                count(&branches, last_block, header, share);
            share = is_exit(model, loop, row->path) ? 0 : share_of(subject, row->path);
            header = row->block;
        } else if (share > 0) {
            count(&branches, last_block, row->block, share);
        }
        last_path = row->path;
        last_block = row->block;
    }
    if (last_path && share > 0)
        count(&branches, last_block, header, share);
    return branches;
}

/* The last instruction of a block. */
static uint32_t last_instruction(const struct model *model, uint32_t block)
{
    size_t end = array_first_not_below(&model->code, 1, offsetof(struct instruction, block), block + 1);
    return end > 1 && model_instruction(model, (uint32_t)(end - 1))->block == block ? (uint32_t)(end - 1) : 0;
}

/* Misses an iteration, at most; *block is where most of them are. */
static double estimate(const struct gap_subject *subject, uint32_t *block)
{
    struct array branches = branches_of(subject);
    double misses = 0, most = 0;
    for (size_t i = 0; i < branches.count; i++) {
        const struct branch *branch = ARRAY_AT(struct branch, &branches, i);
        double all = 0, largest = 0;
        bool is_first = true;
        for (size_t k = 0; k < branches.count; k++) {
            const struct branch *other = ARRAY_AT(struct branch, &branches, k);
            if (other->block != branch->block)
                continue;
            is_first = is_first && k >= i;
            all += other->executed;
            largest = fmax(largest, other->executed);
        }
        if (!is_first)
            continue;
        misses += all - largest;
        if (all - largest > most) {
            most = all - largest;
            *block = branch->block;
        }
    }
    array_free(&branches);
    return misses;
}

static bool is_in_loop(const struct model *model, uint32_t loop, uint32_t block)
{
    const struct array *table = &model->loop_blocks;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_block, loop), loop);
         i < table->count && model_loop_block(model, (uint32_t)i)->loop == loop; i++)
        if (model_loop_block(model, (uint32_t)i)->block == block)
            return true;
    return false;
}

static bool may_leave(const struct model *model, uint32_t loop, uint32_t block)
{
    const struct array *table = &model->edges;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct edge, source), block);
         i < table->count && model_edge(model, (uint32_t)i)->source == block; i++)
        if (!is_in_loop(model, loop, model_edge(model, (uint32_t)i)->target))
            return true;
    return false;
}

double gap_simulated_misses(const struct gap_subject *subject, bool of_exits, uint32_t *instruction)
{
    return gap_misses_of(subject->model, subject->row->loop, of_exits, instruction);
}

double gap_misses_of(const struct model *model, uint32_t loop, bool of_exits, uint32_t *instruction)
{
    double misses = NAN, most = 0;
    uint64_t rounds = 0; /* some branch runs in each iteration */
    for (uint32_t i = 0; i < model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(model, i);
        if (row->loop == loop && row->count > rounds)
            rounds = row->count;
    }
    for (uint32_t i = 0; i < model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(model, i);
        uint32_t block = model_instruction(model, row->instruction)->block;
        if (row->loop != loop || !row->guessed || may_leave(model, loop, block) != of_exits)
            continue;
        double mine = (double)row->misses / (double)row->guessed * ((double)row->count / (double)rounds);
        misses = isnan(misses) ? mine : misses + mine;
        if (mine > most) {
            most = mine;
            *instruction = row->instruction;
        }
    }
    return rounds && isnan(misses) ? 0 : misses;
}

bool gap_branches(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    uint32_t block = 0;
    if (subject->gap <= subject->least)
        return false;
    uint32_t instruction = 0;
    double known = gap_counted(subject, "br", "mis");
    if (isnan(known))
        known = gap_simulated_misses(subject, false, &instruction);
    double guessed = isnan(known) && subject->has_shares ? estimate(subject, &block) : 0;
    double misses = known >= 0 ? known : guessed;
    if (block)
        instruction = last_instruction(subject->model, block);
    double penalty = machine && machine->core.mispredict > 0 ? machine->core.mispredict : NAN;
    bool is_elsewhere = subject->at_memory >= MOST_ELSEWHERE;
    if (isnan(known) && !subject->has_shares && subject->path_count > 1 && !is_elsewhere) {
        *evidence = (struct gap_evidence){gap_certainty_POSSIBLE, NAN, NAN, penalty, 0};
        return true;
    }
    if (!(misses >= LEAST_MISSES))
        return false;
    double cycles = misses * penalty;
    *evidence = (struct gap_evidence){
        .certainty = known >= 0 && !isnan(cycles) ? gap_certainty_of(subject, cycles) : gap_certainty_LIKELY,
        .cycles = cycles,
        .value = misses,
        .reference = penalty,
        .instruction = instruction};
    return isnan(cycles) || cycles >= 0.05 * subject->gap;
}
