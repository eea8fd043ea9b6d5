/* The integer programs of bundles.h, by GLPK. */
#include "code/cost/macs/bundles.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>

/* GLPK ends the process on an error, unless a hook jumps out of it. */
static void leave(void *info)
{
    longjmp(*(jmp_buf *)info, 1);
}

static void state(glp_prob *problem, const struct bundle_program *program, const double amounts[3])
{
    glp_set_obj_dir(problem, GLP_MIN);
    glp_add_rows(problem, 3);
    glp_add_cols(problem, (int)program->count);
    for (int row = 1; row <= 3; row++)
        glp_set_row_bnds(problem, row, GLP_LO, amounts[row - 1], 0);
    for (unsigned i = 0; i < program->count; i++) {
        const struct bundle_shape *shape = &program->shapes[i];
        int column = (int)i + 1, rows[4] = {0, 1, 2, 3};
        double values[4] = {0, shape->floating, shape->memory, shape->branches};
        glp_set_col_kind(problem, column, GLP_IV);
        glp_set_col_bnds(problem, column, GLP_LO, 0, 0);
        glp_set_obj_coef(problem, column, 1);
        glp_set_mat_col(problem, column, 3, rows, values);
    }
}

bool bundles_solve(const struct bundle_program *program, unsigned floating, unsigned memory,
                   unsigned branches, unsigned *least, unsigned counts[MOST_SHAPES], struct error *error)
{
    const double amounts[3] = {floating, memory, branches};
    jmp_buf way_out;
    glp_prob *problem = NULL;
    glp_term_out(GLP_OFF);
    if (setjmp(way_out)) {
        glp_free_env();
        return error_set(error, NULL, "GLPK failed for %u floating-point, %u memory and %u branch operations",
                         floating, memory, branches);
    }
    glp_error_hook(leave, &way_out);
    problem = glp_create_prob();
    state(problem, program, amounts);
    glp_iocp how;
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_ON;
    how.tm_lim = 10000;
    bool is_solved = !glp_intopt(problem, &how) && glp_mip_status(problem) == GLP_OPT;
    if (is_solved) {
        *least = (unsigned)lround(glp_mip_obj_val(problem));
        for (unsigned i = 0; counts && i < program->count; i++)
            counts[i] = (unsigned)lround(glp_mip_col_val(problem, (int)i + 1));
    }
    glp_delete_prob(problem);
    glp_error_hook(NULL, NULL);
    glp_free_env();
    if (!is_solved)
        error_set(error, NULL,
                  "GLPK found no optimum for %u floating-point, %u memory and %u branch operations", floating,
                  memory, branches);
    return is_solved;
}
