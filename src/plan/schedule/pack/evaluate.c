#include "plan/schedule/pack/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void evaluator_make(struct evaluator *evaluator, const struct pack_case *the_case,
                    const struct pack_aims *aims)
{
    uint32_t count = the_case->real_count;
    *evaluator =
        (struct evaluator){.the_case = the_case, .aims = *aims, .last_release = the_case->problem.now};
    board_make(&evaluator->board, the_case);
    evaluator->every = count / 32 > 8 ? count / 32 : 8;
    evaluator->kept_count = count / evaluator->every + 1;
    evaluator->kept = memory_get(evaluator->kept_count * sizeof *evaluator->kept);
    for (uint32_t i = 0; i < evaluator->kept_count; i++)
        board_make(&evaluator->kept[i], the_case);
    board_clear(&evaluator->kept[0], the_case);
    for (uint32_t i = 0; i < the_case->listed_count; i++) {
        double release = the_case->problem.releases[the_case->listed[i]];
        evaluator->used_before += release - the_case->problem.now;
        evaluator->last_release = fmax(evaluator->last_release, release);
    }
    evaluator->old_tasks = memory_get((count + 1) * sizeof *evaluator->old_tasks);
    evaluator->old_begins = memory_get((count + 1) * sizeof *evaluator->old_begins);
    evaluator->old_ends = memory_get((count + 1) * sizeof *evaluator->old_ends);
    evaluator->old_sets = memory_get((count + 1) * (the_case->words + 1) * sizeof *evaluator->old_sets);
}

void evaluator_free(struct evaluator *evaluator)
{
    board_free(&evaluator->board);
    for (uint32_t i = 0; i < evaluator->kept_count; i++)
        board_free(&evaluator->kept[i]);
    free(evaluator->kept);
    free(evaluator->old_tasks);
    free(evaluator->old_begins);
    free(evaluator->old_ends);
    free(evaluator->old_sets);
    *evaluator = (struct evaluator){0};
}

static void find_figures(const struct evaluator *evaluator, struct plan *plan)
{
    const struct pack_case *the_case = evaluator->the_case;
    const struct pack_problem *problem = &the_case->problem;
    const struct board *board = &evaluator->board;
    struct plan_figures *figures = &plan->figures;
    double before = evaluator->used_before;
    if (board->end < evaluator->last_release)
        before = 0;
    for (uint32_t i = 0; i < the_case->listed_count && board->end < evaluator->last_release; i++)
        before += fmin(problem->releases[the_case->listed[i]], board->end) - problem->now;
    figures->makespan = board->end - problem->now;
    figures->idle =
        the_case->listed_count ? figures->makespan - (before + board->busy) / the_case->listed_count : 0;
    figures->late = board->late;
    figures->waiting = the_case->weights > 0 ? board->waiting / the_case->weights : 0;
    const struct pack_aims *aims = &evaluator->aims;
    figures->fitness = aims->makespan * figures->makespan + aims->idle * figures->idle +
                       aims->late * figures->late + aims->waiting * figures->waiting +
                       aims->hedge * board->risk;
}

void evaluate(struct evaluator *evaluator, struct plan *plan)
{
    const struct pack_case *the_case = evaluator->the_case;
    board_copy(&evaluator->board, &evaluator->kept[0], the_case);
    plan->work = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (i % evaluator->every == 0)
            board_copy(&evaluator->kept[i / evaluator->every], &evaluator->board, the_case);
        board_put(&evaluator->board, the_case, plan, plan->order[i]);
        uint32_t size = plan->size[plan->order[i]];
        plan->work += case_seconds(&the_case->problem.tasks[plan->order[i]], size) * size;
    }
    evaluator->kept_valid = plan->count ? (plan->count - 1) / evaluator->every : 0;
    find_figures(evaluator, plan);
}

static void remember(struct evaluator *evaluator, const struct plan *plan, uint32_t task)
{
    uint32_t i = evaluator->seen++;
    evaluator->old_tasks[i] = task;
    evaluator->old_begins[i] = plan->begins[task];
    evaluator->old_ends[i] = plan->ends[task];
    memcpy(evaluator->old_sets + (size_t)i * plan->words, plan_set(plan, task),
           plan->words * sizeof *evaluator->old_sets);
}

bool evaluate_from(struct evaluator *evaluator, struct plan *plan, uint32_t first, double limit)
{
    const struct pack_case *the_case = evaluator->the_case;
    struct board *board = &evaluator->board;
    const struct pack_aims *aims = &evaluator->aims;
    uint32_t from = first / evaluator->every;
    from = from < evaluator->kept_valid ? from : evaluator->kept_valid;
    board_copy(board, &evaluator->kept[from], the_case);
    for (uint32_t i = from * evaluator->every; i < first; i++) {
        if (i % evaluator->every == 0 && i / evaluator->every > evaluator->kept_valid) {
            evaluator->kept_valid = i / evaluator->every;
            board_copy(&evaluator->kept[evaluator->kept_valid], board, the_case);
        }
        board_repeat(board, the_case, plan, plan->order[i]);
    }
    double processors = the_case->listed_count, work = plan->work / the_case->fastest * (1 - 1e-9);
    evaluator->changed = first;
    evaluator->seen = 0;
    double now = the_case->problem.now,
           weight = the_case->weights > 0 ? aims->waiting / the_case->weights : 0;
    for (uint32_t i = first; i < plan->count; i++) {
        remember(evaluator, plan, plan->order[i]);
        board_put(board, the_case, plan, plan->order[i]);
        /* Work that is left fits between the releases and the end at best. */
        double filled = the_case->is_uniform ? (board->free_sum + work - board->busy) / processors : 0;
        double least = aims->makespan * (fmax(board->end, filled) - now) + aims->late * board->late +
                       weight * board->waiting + aims->hedge * board->risk;
        if (least >= limit)
            return false;
    }
    find_figures(evaluator, plan);
    return plan->figures.fitness < limit;
}

void evaluate_keep(struct evaluator *evaluator)
{
    uint32_t right = evaluator->changed / evaluator->every;
    evaluator->kept_valid = right < evaluator->kept_valid ? right : evaluator->kept_valid;
}

void evaluate_undo(struct evaluator *evaluator, struct plan *plan)
{
    for (uint32_t i = 0; i < evaluator->seen; i++) {
        uint32_t task = evaluator->old_tasks[i];
        plan->begins[task] = evaluator->old_begins[i];
        plan->ends[task] = evaluator->old_ends[i];
        memcpy(plan_set(plan, task), evaluator->old_sets + (size_t)i * plan->words,
               plan->words * sizeof *evaluator->old_sets);
    }
}
