#include "gauge/ports/uses.h"

#include "base/memory.h"
#include "cost/core/port_balance.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UOPS = 24, SOLVER_MILLISECONDS = 300 };
/* What a µop costs, in relative error of one mix, and how much more one costs whose ports no probe has: more
   than two others, because one µop on the ports that two probes share looks like one on each.  Fewer µops
   than are issued cost something, too, and more a lot, where they cannot be. */
static const double uop_cost = 0.02, strange_cost = 0.05, missing_cost = 0.03, excess_cost = 0.3;
/* A mix that takes this much longer than its parts shows µops. */
static const double longer = 1.02;
/* Nothing takes less time than its ports, but many things take longer for another reason: errors of times
   that are said to be longer than measured count more. */
static const double too_long = 3;
/* Something else than ports may make a form slow alone, so that too few µops are a smaller error there. */
static const double slow_alone = 0.5;

static void add_set(struct uses_sets *sets, uint32_t set)
{
    for (unsigned i = 0; i < sets->count; i++)
        if (sets->sets[i] == set)
            return;
    if (set && sets->count < MOST_SETS)
        sets->sets[sets->count++] = set;
}

void uses_find_sets(struct uses_sets *sets, const uint32_t *probes, const unsigned *members, unsigned count)
{
    sets->count = 0;
    for (unsigned i = 0; i < MOST_SETS; i++)
        sets->prices[i] = uop_cost + strange_cost;
    for (unsigned i = 0; i < count; i++) {
        add_set(sets, probes[i]);
        sets->prices[sets->count - 1] = uop_cost * (1 + 1. / members[i]);
    }
    sets->probe_count = sets->count;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] & probes[j]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] & ~probes[j]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] | probes[j]);
}

double uses_cycles(const struct uses_sets *sets, const uint8_t *uops, double forms, uint32_t probe_ports,
                   double probes)
{
    struct port_group groups[MOST_SETS + 1];
    unsigned count = 0;
    uint32_t critical;
    if (probe_ports && probes > 0)
        groups[count++] = (struct port_group){probe_ports, probes};
    for (unsigned i = 0; i < sets->count; i++)
        if (uops[i])
            groups[count++] = (struct port_group){sets->sets[i], uops[i] * forms};
    return count ? ports_balance(groups, count, &critical) : 0;
}

/* What a mix takes whatever the form's µops are. */
static double least_cycles(const struct uses_problem *problem, const struct uses_mix *mix)
{
    double least =
        fmax(mix->forms * problem->chain, (mix->forms * problem->issued + mix->probes) / problem->width);
    return fmax(least, (double)mix->probes / __builtin_popcount(mix->probe));
}

void uses_judge(const struct uses_problem *problem, struct uses_answer *answer)
{
    double sum = 0, weighted = 0, prices = 0;
    for (unsigned i = 0; i < problem->mix_count; i++) {
        const struct uses_mix *mix = &problem->mixes[i];
        double cycles = uses_cycles(problem->sets, answer->uops, mix->forms, mix->probe, mix->probes);
        double error = fmax(cycles, least_cycles(problem, mix)) / mix->cycles - 1;
        sum += fabs(error);
        weighted += error > 0 ? too_long * error : -error;
    }
    double alone = fmax(uses_cycles(problem->sets, answer->uops, 1, 0, 0), problem->issued / problem->width);
    alone = alone / problem->alone - 1;
    sum += alone > 0 ? alone : -alone * slow_alone;
    weighted += alone > 0 ? too_long * alone : -alone * slow_alone;
    double missing = problem->issued, excess = -(double)problem->most_uops;
    for (unsigned i = 0; i < problem->sets->count; i++) {
        prices += answer->uops[i] * problem->sets->prices[i];
        missing -= answer->uops[i];
        excess += answer->uops[i];
    }
    answer->cost = weighted + prices + (missing > 0 ? missing * missing_cost : 0) +
                   (problem->most_uops && excess > 0 ? excess * excess_cost : 0);
    answer->error = sum / (problem->mix_count + 1);
}

/* The answer with a µop less (from) and up to two more, if that is better than the best so far; `count` of
   the sets stands for none. */
static bool try_move(const struct uses_problem *problem, const struct uses_answer *answer, unsigned from,
                     unsigned to, unsigned also, struct uses_answer *best)
{
    unsigned count = problem->sets->count;
    struct uses_answer other = *answer;
    if ((to < count && other.uops[to] >= MOST_UOPS) || (also < count && other.uops[also] >= MOST_UOPS))
        return false;
    if (from < count)
        other.uops[from]--;
    if (to < count)
        other.uops[to]++;
    if (also < count)
        other.uops[also]++;
    uses_judge(problem, &other);
    if (other.cost > best->cost - 1e-9)
        return false;
    *best = other;
    return true;
}

/* One more, one less, one elsewhere; or two on ports of probes for one on others. */
void uses_improve(const struct uses_problem *problem, struct uses_answer *answer)
{
    unsigned count = problem->sets->count, probes = problem->sets->probe_count;
    for (bool moved = true; moved;) {
        struct uses_answer best = *answer;
        moved = false;
        for (unsigned from = 0; from <= count; from++) {
            if (from < count && !answer->uops[from])
                continue;
            for (unsigned to = 0; to <= count; to++)
                moved |= from != to && try_move(problem, answer, from, to, count, &best);
            for (unsigned to = 0; from >= probes && from < count && to < probes; to++)
                for (unsigned also = 0; also <= to; also++)
                    moved |= try_move(problem, answer, from, to, also, &best);
        }
        *answer = best;
    }
}

/* Columns: µops of each set, then the error of each mix, then that of the form alone. */
struct program {
    const struct uses_problem *problem;
    glp_prob *glpk;
    int columns[MOST_SETS + 3];
    double values[MOST_SETS + 3];
};

/* The µops within a set of ports, and one error: at most, or at least, a number. */
static void add_row(struct program *program, uint32_t within, double factor, int error, double error_factor,
                    int kind, double bound)
{
    const struct uses_sets *sets = program->problem->sets;
    int count = 0, row = glp_add_rows(program->glpk, 1);
    for (unsigned i = 0; i < sets->count; i++)
        if (!(sets->sets[i] & ~within)) {
            program->columns[++count] = (int)i + 1;
            program->values[count] = factor;
        }
    program->columns[++count] = error;
    program->values[count] = error_factor;
    glp_set_mat_row(program->glpk, row, count, program->columns, program->values);
    glp_set_row_bnds(program->glpk, row, kind, bound, bound);
}

static void state_mix(struct program *program, unsigned place)
{
    const struct uses_problem *problem = program->problem;
    const struct uses_mix *mix = &problem->mixes[place];
    int error = (int)(problem->sets->count + place) + 1;
    double ports = __builtin_popcount(mix->probe);
    for (unsigned i = 0; i < problem->sets->count; i++) {
        uint32_t set = problem->sets->sets[i];
        if (!(mix->probe & ~set))
            add_row(program, set, mix->forms, error, -mix->cycles * __builtin_popcount(set) / too_long,
                    GLP_UP, mix->cycles * __builtin_popcount(set) - mix->probes);
    }
    if (!mix->is_even && mix->cycles > longer * least_cycles(problem, mix))
        add_row(program, mix->probe, mix->forms, error, mix->cycles * ports, GLP_LO,
                mix->cycles * ports - mix->probes);
}

static void state(struct program *program)
{
    const struct uses_problem *problem = program->problem;
    const struct uses_sets *sets = problem->sets;
    int errors = (int)problem->mix_count + 1, alone = (int)sets->count + errors;
    glp_set_obj_dir(program->glpk, GLP_MIN);
    glp_add_cols(program->glpk, (int)sets->count + errors);
    for (unsigned i = 0; i < sets->count; i++) {
        glp_set_col_kind(program->glpk, (int)i + 1, GLP_IV);
        glp_set_col_bnds(program->glpk, (int)i + 1, GLP_DB, 0, MOST_UOPS);
        glp_set_obj_coef(program->glpk, (int)i + 1, sets->prices[i]);
    }
    for (int i = 1; i <= errors; i++) {
        glp_set_col_bnds(program->glpk, (int)sets->count + i, GLP_LO, 0, 0);
        glp_set_obj_coef(program->glpk, (int)sets->count + i, 1);
    }
    for (unsigned i = 0; i < problem->mix_count; i++)
        state_mix(program, i);
    for (unsigned i = 0; i < sets->count; i++) {
        double most = problem->alone * __builtin_popcount(sets->sets[i]);
        add_row(program, sets->sets[i], 1, alone, -most / too_long, GLP_UP, most);
    }
}

/* GLPK ends the process on an error, unless a hook jumps out of it. */
static void leave(void *info)
{
    longjmp(*(jmp_buf *)info, 1);
}

/* false: no answer in time; all µops are 0. */
static bool solve_program(const struct uses_problem *problem, struct uses_answer *answer)
{
    jmp_buf way_out;
    struct program program = {.problem = problem};
    glp_term_out(GLP_OFF);
    if (setjmp(way_out)) {
        glp_free_env();
        return false;
    }
    glp_error_hook(leave, &way_out);
    program.glpk = glp_create_prob();
    state(&program);
    glp_iocp how;
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_ON;
    how.tm_lim = SOLVER_MILLISECONDS;
    glp_intopt(program.glpk, &how);
    int status = glp_mip_status(program.glpk);
    bool is_solved = status == GLP_OPT || status == GLP_FEAS;
    for (unsigned i = 0; is_solved && i < problem->sets->count; i++)
        answer->uops[i] = (uint8_t)lround(glp_mip_col_val(program.glpk, (int)i + 1));
    glp_delete_prob(program.glpk);
    glp_error_hook(NULL, NULL);
    return is_solved;
}

void uses_solve(const struct uses_problem *problem, struct uses_answer *answer)
{
    struct uses_answer none = {0};
    *answer = none;
    solve_program(problem, answer);
    uses_judge(problem, answer);
    uses_judge(problem, &none);
    if (none.cost < answer->cost)
        *answer = none;
    uses_improve(problem, answer);
}
