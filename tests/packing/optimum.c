/* The shortest makespan of a small problem.

   Branch and bound over the packer's own representation: tasks are put on the board one after the other, in
   order of their beginnings, each with every number of processors on every host (or every split over hosts).
   That is complete: sorted by their beginnings, the tasks of any schedule begin no later on this board,
   because processors of a host that are free by then are all alike.

   A branch ends where its least makespan is not below the best known one (the packer's, to begin with). The
   least makespan comes from a linear program, solved by GLPK along the way down and warm from node to
   node: each task that is left takes a mixture of its modes, chains of needs are kept, and work must fit
   between the releases and the end. A branch also ends where the same tasks were done before with every
   processor and every needed task at least as early (dominance). */
#include "tests/packing/packing.h"
#include "base/clock.h"
#include "plan/schedule/pack/islands.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 16, MOST_PROCESSORS = 64, MOST_STATES = 1 << 21 };

/* What is known after some tasks. */
struct state {
    double release[MOST_PROCESSORS]; /* in order within each group */
    double end[MOST_TASKS], begin[MOST_TASKS];
    uint16_t on[MOST_TASKS]; /* groups that each task uses */
    double latest;           /* end of all so far */
    double since;            /* beginning of the last one */
    uint32_t done;
};

struct memory {
    uint32_t done, next; /* the next with the same tasks; 0: none */
    double latest, since;
    double figures[]; /* releases, then ends of tasks that are still needed (or all, where data moves) */
};

struct search {
    const struct pack_case *the_case;
    uint32_t tasks[MOST_TASKS]; /* real ones */
    uint32_t number[64];
    uint32_t count;
    uint32_t group_count, first[MOST_PROCESSORS + 1]; /* processors that are alike: a host, or all */
    double speed[MOST_PROCESSORS];
    bool is_one_pool;
    double best, until;
    uint64_t nodes;
    bool gave_up;
    uint32_t before[MOST_TASKS], after[MOST_TASKS]; /* sets of tasks of the search */
    double before_move[MOST_TASKS][MOST_TASKS];
    struct array memories; /* of char: struct memory, one after the other */
    uint32_t *heads;       /* by set of done tasks */
    glp_prob *program;
    int mode_column[MOST_TASKS], mode_count[MOST_TASKS];
};

static const struct pack_task *task_of(const struct search *search, uint32_t j)
{
    return &search->the_case->problem.tasks[search->tasks[j]];
}

/* --- the linear program --- */

/* Columns: 1 the end; 2 … beginnings; then modes.  Rows: 1 work; then one mode each; needs; ends. */
static void make_program(struct search *search)
{
    const struct pack_case *the_case = search->the_case;
    uint32_t count = search->count;
    glp_prob *program = search->program = glp_create_prob();
    int columns = 1 + (int)count;
    for (uint32_t j = 0; j < count; j++) {
        search->mode_column[j] = columns + 1;
        search->mode_count[j] = (int)(task_of(search, j)->most - task_of(search, j)->least + 1);
        columns += search->mode_count[j];
    }
    glp_set_obj_dir(program, GLP_MIN);
    glp_add_cols(program, columns);
    glp_set_obj_coef(program, 1, 1);
    for (int c = 1; c <= columns; c++)
        glp_set_col_bnds(program, c, GLP_LO, 0, 0);
    int *index = memory_get((size_t)(columns + 2) * sizeof *index);
    double *value = memory_get((size_t)(columns + 2) * sizeof *value);
    double speeds = 0;
    for (uint32_t g = 0; g < search->group_count; g++)
        speeds += search->speed[g] * (search->first[g + 1] - search->first[g]);
    int length = 0, row = glp_add_rows(program, 1);
    index[++length] = 1;
    value[length] = speeds;
    for (uint32_t j = 0; j < count; j++)
        for (int m = 0; m < search->mode_count[j]; m++) {
            index[++length] = search->mode_column[j] + m;
            value[length] =
                -(double)(task_of(search, j)->least + (uint32_t)m) * task_of(search, j)->seconds[m];
        }
    glp_set_mat_row(program, row, length, index, value);
    for (uint32_t j = 0; j < count; j++) {
        row = glp_add_rows(program, 1);
        for (int m = 0; m < search->mode_count[j]; m++) {
            index[m + 1] = search->mode_column[j] + m;
            value[m + 1] = 1;
        }
        glp_set_mat_row(program, row, search->mode_count[j], index, value);
        glp_set_row_bnds(program, row, GLP_FX, 1, 1);
    }
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t k = 0; k <= count; k++) { /* k == count: the end of all */
            if (k < count && !(search->before[k] >> j & 1))
                continue;
            row = glp_add_rows(program, 1);
            length = 0;
            index[++length] = k == count ? 1 : 2 + (int)k;
            value[length] = 1;
            index[++length] = 2 + (int)j;
            value[length] = -1;
            for (int m = 0; m < search->mode_count[j]; m++) {
                index[++length] = search->mode_column[j] + m;
                value[length] = -(double)task_of(search, j)->seconds[m] / the_case->fastest;
            }
            glp_set_mat_row(program, row, length, index, value);
            glp_set_row_bnds(program, row, GLP_LO, 0, 0);
        }
    free(index);
    free(value);
}

/* A task begins at this time in this mode; or again whenever it likes. */
static void fix_task(struct search *search, const struct state *state, uint32_t j, uint32_t size)
{
    double now = search->the_case->problem.now;
    bool done = state->done >> j & 1;
    double begin = done ? state->begin[j] : search->the_case->head[search->tasks[j]];
    glp_set_col_bnds(search->program, 2 + (int)j, done ? GLP_FX : GLP_LO, begin - now, begin - now);
    for (int m = 0; m < search->mode_count[j]; m++) {
        bool chosen = (uint32_t)m + task_of(search, j)->least == size;
        glp_set_col_bnds(search->program, search->mode_column[j] + m, done ? GLP_FX : GLP_LO, chosen, chosen);
        if (!done)
            glp_set_col_bnds(search->program, search->mode_column[j] + m, GLP_LO, 0, 0);
    }
}

/* The least end of all that the program allows after this state; done_work: of the tasks so far. */
static double program_bound(struct search *search, const struct state *state, double done_work)
{
    double now = search->the_case->problem.now, used = -done_work;
    for (uint32_t g = 0; g < search->group_count; g++)
        for (uint32_t p = search->first[g]; p < search->first[g + 1]; p++)
            used += (state->release[p] - now) * search->speed[g];
    glp_set_row_bnds(search->program, 1, GLP_LO, used, used);
    for (uint32_t j = 0; j < search->count; j++)
        if (!(state->done >> j & 1)) {
            double begin = fmax(state->since, search->the_case->head[search->tasks[j]]) - now;
            glp_set_col_bnds(search->program, 2 + (int)j, GLP_LO, begin, begin);
        }
    glp_smcp settings;
    glp_init_smcp(&settings);
    settings.msg_lev = GLP_MSG_OFF;
    settings.meth = GLP_DUALP;
    settings.it_lim = 2000;
    if (glp_simplex(search->program, &settings) || glp_get_status(search->program) != GLP_OPT)
        return 0;
    return glp_get_obj_val(search->program) * (1 - 1e-7);
}

/* --- dominance --- */

/* The first *compared of them may be less in a better state; where data moves, the others, places of needed
   tasks, must be the same. */
static uint32_t figures_of(const struct search *search, const struct state *state, double *figures,
                           uint32_t *compared)
{
    uint32_t count = search->first[search->group_count];
    for (uint32_t p = 0; p < count; p++)
        figures[p] = fmax(state->release[p], state->since);
    for (uint32_t j = 0; j < search->count; j++)
        if ((state->done >> j & 1) && (search->after[j] & ~state->done))
            figures[count++] = state->end[j];
    *compared = count;
    for (uint32_t j = 0; j < search->count && search->the_case->moves; j++)
        if ((state->done >> j & 1) && (search->after[j] & ~state->done))
            figures[count++] = state->on[j];
    return count;
}

/* Whether a state that was seen is as good.  Otherwise this one is remembered. */
static bool is_dominated(struct search *search, const struct state *state)
{
    double figures[MOST_PROCESSORS + 2 * MOST_TASKS];
    uint32_t compared, count = figures_of(search, state, figures, &compared);
    size_t width = sizeof(struct memory) + count * sizeof(double);
    for (uint32_t at = search->heads[state->done]; at;) {
        const struct memory *old = (void *)((char *)search->memories.data + at);
        bool worse = old->latest <= state->latest && old->since <= state->since;
        for (uint32_t i = 0; i < count && worse; i++)
            worse = i < compared ? old->figures[i] <= figures[i] : old->figures[i] == figures[i];
        if (worse)
            return true;
        at = old->next;
    }
    if (search->memories.count + width > MOST_STATES * 64u)
        return false;
    uint32_t at = (uint32_t)search->memories.count;
    struct memory *new = array_add_many(&search->memories, width);
    *new = (struct memory){state->done, search->heads[state->done], state->latest, state->since};
    memcpy(new->figures, figures, count * sizeof *figures);
    search->heads[state->done] = at;
    return false;
}

/* --- branches --- */

struct branch {
    double bound, begin, end;
    uint32_t task, size;
    uint8_t taken[MOST_PROCESSORS]; /* processors by group */
};

/* Puts a task with so many processors of each group on the board; its beginning is known. */
static void follow(const struct search *search, const struct state *from, const struct branch *branch,
                   struct state *to)
{
    uint32_t j = branch->task;
    *to = *from;
    to->done |= 1u << j;
    to->begin[j] = to->since = branch->begin;
    to->end[j] = branch->end;
    to->latest = fmax(to->latest, branch->end);
    to->on[j] = 0;
    for (uint32_t g = 0; g < search->group_count; g++) {
        uint32_t n = branch->taken[g], first = search->first[g], last = search->first[g + 1];
        if (!n)
            continue;
        to->on[j] |= (uint16_t)(1u << g % 16);
        /* The first n are free by then; the group stays sorted. */
        uint32_t i = first + n;
        for (; i < last && to->release[i] < branch->end; i++)
            to->release[i - n] = to->release[i];
        for (uint32_t k = i - n; k < i; k++)
            to->release[k] = branch->end;
    }
}

static double simple_bound(const struct search *search, const struct state *state)
{
    const struct pack_case *the_case = search->the_case;
    double now = the_case->problem.now, work = 0, speeds = 0, bound = state->latest - now;
    for (uint32_t g = 0; g < search->group_count; g++)
        for (uint32_t p = search->first[g]; p < search->first[g + 1]; p++) {
            work += (fmax(state->since, state->release[p]) - now) * search->speed[g];
            speeds += search->speed[g];
        }
    for (uint32_t j = 0; j < search->count; j++)
        if (!(state->done >> j & 1)) {
            uint32_t t = search->tasks[j];
            double head = fmax(state->since, the_case->head[t]);
            for (uint32_t k = 0; k < search->count; k++)
                if (search->before[j] & state->done & 1u << k)
                    head = fmax(head, state->end[k]);
            bound = fmax(bound, head + the_case->tail[t] - now);
            work += the_case->least_work[t];
        }
    return fmax(bound, work / speeds);
}

static int by_bound(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* One branch, if it can still be better. */
static void add_branch(struct search *search, const struct state *state, struct array *branches,
                       const struct branch *draft)
{
    const struct pack_case *the_case = search->the_case;
    const struct pack_task *task = task_of(search, draft->task);
    double begin = task->ready, speed = INFINITY;
    uint16_t on = 0;
    for (uint32_t g = 0; g < search->group_count; g++)
        if (draft->taken[g]) {
            begin = fmax(begin, state->release[search->first[g] + draft->taken[g] - 1]);
            speed = fmin(speed, search->speed[g]);
            on |= (uint16_t)(1u << g);
        }
    for (uint32_t k = 0; k < search->count; k++)
        if (search->before[draft->task] >> k & 1)
            begin =
                fmax(begin, state->end[k] + (state->on[k] & on ? 0 : search->before_move[draft->task][k]));
    if (begin < state->since) /* the same schedule comes in the order of beginnings */
        return;
    struct branch branch = *draft;
    branch.begin = begin;
    branch.end = begin + case_seconds(task, draft->size) / speed;
    struct state next;
    follow(search, state, &branch, &next);
    double tail =
        the_case->tail[search->tasks[draft->task]] - the_case->least_seconds[search->tasks[draft->task]];
    branch.bound = fmax(simple_bound(search, &next), branch.end + tail - the_case->problem.now);
    if (branch.bound < search->best * (1 - 1e-9))
        *(struct branch *)array_add(branches) = branch;
}

/* All ways to take draft->size processors from group g on.  Groups that look alike are taken in one order. */
static void split(struct search *search, const struct state *state, struct array *branches,
                  struct branch *draft, uint32_t g, uint32_t left)
{
    const struct pack_task *task = task_of(search, draft->task);
    if (!left) {
        add_branch(search, state, branches, draft);
        return;
    }
    if (g == search->group_count)
        return;
    uint32_t room = search->first[g + 1] - search->first[g];
    bool may = search->is_one_pool || case_allows(task, g);
    for (uint32_t n = 0; n <= room && n <= left && (may || !n); n++) {
        if (n && n < left && !task->spans)
            continue;
        draft->taken[g] = (uint8_t)n;
        split(search, state, branches, draft, g + 1, left - n);
    }
    draft->taken[g] = 0;
}

static void descend(struct search *search, const struct state *state, double done_work, uint32_t depth)
{
    if (search->gave_up)
        return;
    if (++search->nodes % 64 == 0 && clock_monotonic_seconds() > search->until) {
        search->gave_up = true;
        return;
    }
    if (state->done == (1u << search->count) - 1) {
        search->best = fmin(search->best, state->latest - search->the_case->problem.now);
        return;
    }
    if (is_dominated(search, state))
        return;
    if (depth + 2 < search->count && program_bound(search, state, done_work) >= search->best * (1 - 1e-9))
        return;
    struct array branches = ARRAY_OF(struct branch);
    for (uint32_t j = 0; j < search->count; j++) {
        if ((state->done >> j & 1) || (search->before[j] & ~state->done))
            continue;
        const struct pack_task *task = task_of(search, j);
        for (uint32_t n = task->least; n <= task->most; n++) {
            struct branch draft = {.task = j, .size = n};
            split(search, state, &branches, &draft, 0, n);
        }
    }
    if (branches.count)
        qsort(branches.data, branches.count, sizeof(struct branch), by_bound);
    for (size_t i = 0; i < branches.count && !search->gave_up; i++) {
        const struct branch *branch = ARRAY_AT(struct branch, &branches, i);
        if (branch->bound >= search->best * (1 - 1e-9))
            break;
        struct state next;
        follow(search, state, branch, &next);
        fix_task(search, &next, branch->task, branch->size);
        double work = case_seconds(task_of(search, branch->task), branch->size) * branch->size;
        descend(search, &next, done_work + work, depth + 1);
        fix_task(search, state, branch->task, 0);
    }
    array_free(&branches);
}

/* --- before and after --- */

/* Hosts are one pool where nothing tells them apart. */
static void make_groups(struct search *search, struct state *state)
{
    const struct pack_case *the_case = search->the_case;
    const struct pack_problem *problem = &the_case->problem;
    search->is_one_pool =
        problem->host_count == 1 || (the_case->all_span && the_case->is_uniform && !the_case->moves);
    search->group_count = search->is_one_pool ? 1 : problem->host_count;
    uint32_t used = 0;
    for (uint32_t g = 0; g < problem->host_count; g++) {
        if (!search->is_one_pool || !g) {
            search->first[g] = used;
            search->speed[g] = problem->hosts[g].speed;
        }
        uint32_t from = search->first[search->is_one_pool ? 0 : g];
        for (uint32_t p = 0; p < problem->hosts[g].count; p++) {
            double release = problem->releases[problem->hosts[g].first + p];
            uint32_t i = used++;
            for (; i > from && state->release[i - 1] > release; i--)
                state->release[i] = state->release[i - 1];
            state->release[i] = release;
        }
    }
    search->first[search->group_count] = used;
}

static void link_tasks(struct search *search)
{
    const struct pack_case *the_case = search->the_case;
    for (uint32_t j = 0; j < search->count; j++) {
        uint32_t t = search->tasks[j];
        for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++)
            for (uint32_t k = 0; k < search->count; k++)
                if (search->tasks[k] == the_case->before[b].task) {
                    search->before[j] |= 1u << k;
                    search->after[k] |= 1u << j;
                    search->before_move[j][k] = fmax(search->before_move[j][k], the_case->before[b].move);
                }
    }
}

/* What the packer finds, as the first makespan to beat. */
static double found_by_search(const struct pack_problem *problem)
{
    static const struct pack_aims aims = {.makespan = 1};
    struct packer *packer = pack_open(1, 1, &aims);
    double makespan = INFINITY;
    if (pack_set(packer, problem, NULL) == pack_FINE) {
        pack_steps(packer, 20000);
        makespan = pack_best(packer)->makespan;
    }
    pack_close(packer);
    return makespan;
}

double pack_optimum(const struct pack_problem *problem, double seconds)
{
    struct search search = {.until = clock_monotonic_seconds() + seconds, .memories = ARRAY_OF(char)};
    struct pack_case the_case;
    if (case_make(&the_case, problem, NULL) != pack_FINE)
        return NAN;
    double best = NAN;
    if (!the_case.real_count)
        best = 0;
    else if (!the_case.has_memory && !the_case.fetches && !(problem->overhead > 0) &&
             the_case.real_count <= MOST_TASKS && problem->processor_count <= MOST_PROCESSORS &&
             problem->host_count <= 16) {
        search.the_case = &the_case;
        search.count = the_case.real_count;
        memcpy(search.tasks, the_case.topological, search.count * sizeof *search.tasks);
        struct state state = {.latest = the_case.problem.now, .since = the_case.problem.now};
        make_groups(&search, &state);
        link_tasks(&search);
        search.best = found_by_search(problem);
        search.heads = memory_get((sizeof *search.heads) << search.count);
        array_add_many(&search.memories, sizeof(double)); /* place 0 means none */
        if (bound_of(&the_case) < search.best * (1 - 1e-9)) {
            make_program(&search);
            for (uint32_t j = 0; j < search.count; j++)
                fix_task(&search, &state, j, 0);
            descend(&search, &state, 0, 0);
            glp_delete_prob(search.program);
        }
        best = search.gave_up ? NAN : search.best;
        free(search.heads);
        array_free(&search.memories);
    }
    case_free(&the_case);
    return best;
}
