/* The integer program of a form's µops, by GLPK (uses.h has it in words). */
#include "run/bench/ports/uses.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>

enum { SOLVER_MILLISECONDS = 300 };
/* A mix that takes this much longer than its parts shows µops. */
static const double longer = 1.02;

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
            add_row(program, set, mix->forms, error,
                    -mix->cycles * __builtin_popcount(set) / (double)USES_TOO_LONG, GLP_UP,
                    mix->cycles * __builtin_popcount(set) - mix->probes);
    }
    if (!mix->is_even && mix->cycles > longer * uses_least_cycles(problem, mix))
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
        add_row(program, sets->sets[i], 1, alone, -most / (double)USES_TOO_LONG, GLP_UP, most);
    }
}

/* GLPK ends the process on an error, unless a hook jumps out of it. */
static void leave(void *info)
{
    longjmp(*(jmp_buf *)info, 1);
}

bool uses_solve_program(const struct uses_problem *problem, struct uses_answer *answer)
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
