/* Main loops that do many source iterations at a time, with a slow tail loop for the remaining ones.

   The code does not show how many iterations a loop makes. It does show how many the main loop does at a
   time, and what each iteration costs in the tail. From these follows the number of iterations below which
   most of the time goes into the tail. If that is large, it matters for short loops.

   Tails with shorter vectors come first, so the last one has fewer iterations left. */
#include "code/quality/families.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"

#include <math.h>

/* Loops with more iterations than this are long; fewer at a time are harmless. */
enum { SHORT = 100, LEAST_AT_A_TIME = 16 };
/* The other loops of a family have numbers near its own. */
enum { MOST_LOOPS_AWAY = 64 };

/* Cycles of an iteration of another loop of the program, on its first path; NaN: unknown. */
static double cycles_of(const struct subject *subject, uint32_t loop)
{
    struct array paths = ARRAY_OF(struct loop_path);
    struct array items = ARRAY_OF(struct cost_item);
    struct cost_prediction prediction;
    struct cost_block block = {.machine = subject->machine, .mode = cost_LOOP};
    double cycles = NAN;
    const struct model *model = subject->model;
    loop_paths_list(model, loop, &paths);
    const struct loop_path *path = paths.data;
    for (uint32_t i = 0; paths.count == 1 && i < path->blocks; i++) {
        const struct block *row = model_block(model, model_path_block(model, path->first_block + i)->block);
        for (uint32_t k = 0; k < row->instruction_count; k++) {
            uint32_t instruction = row->first_instruction + k;
            const struct instruction *code = model_instruction(model, instruction);
            const struct machine_cost *cost = machine_cost(&subject->work->costs, code->encoding);
            *(struct cost_item *)array_push(&items) =
                (struct cost_item){.cost = cost,
                                   .id = instruction,
                                   .address = model_address(model, instruction),
                                   .target = code->target == NO_ADDRESS ? 0 : code->target};
            block.size += cost->size;
            block.count += !cost->is_missing;
        }
    }
    if (items.count && block.count == items.count && items.count <= MOST_BLOCK_INSTRUCTIONS &&
        !subject->work->is_bundled) {
        block.items = items.data;
        cost_prepare(&block);
        cost_predict(&block, subject->spare, cost_ANSWER, &prediction);
        cycles = prediction.cycles;
    }
    array_free(&items);
    array_free(&paths);
    return cycles;
}

/* Among the tails of the main loop: the one that does single iterations, and how many the one before it does
   at a time. */
static const struct loop_role_row *find_last(const struct subject *subject, int32_t *before)
{
    const struct model *model = subject->model;
    const struct loop_role_row *last = NULL;
    uint32_t first = subject->loop > MOST_LOOPS_AWAY ? subject->loop - MOST_LOOPS_AWAY : 1;
    *before = subject->role->iterations;
    for (uint32_t at = first; at < model->loops.count && at <= subject->loop + MOST_LOOPS_AWAY; at++) {
        const struct loop_role_row *role = families_role(model, at);
        if (!role || role->family != subject->role->family || role->role != loop_role_TAIL ||
            role->iterations < 1)
            continue;
        if (role->iterations == 1)
            last = role;
        else if (role->iterations < *before)
            *before = role->iterations;
    }
    return last;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct loop_role_row *role = subject->role;
    int32_t before;
    if (!subject_is_timed(subject) || !role || role->role != loop_role_MAIN ||
        role->iterations < LEAST_AT_A_TIME || subject->path->call_count)
        return false;
    const struct loop_role_row *last = find_last(subject, &before);
    if (!last || before < LEAST_AT_A_TIME)
        return false;
    double of_last = cycles_of(subject, last->loop), left = (before - 1) / 2.0;
    /* Iterations of the main loop that take as long as the average remainder in the tail. */
    double even = left * of_last / (subject->path->cycles / role->iterations);
    if (!(even >= SHORT))
        return false;
    remark_say(remark,
               "The main loop does %d iterations of the source at a time, at %.2f cycles each. The tail loop "
               "does the rest, %.0f on average, one by one at %.2f cycles each: with fewer than about %.0f "
               "iterations most of the time is spent there.",
               role->iterations, subject->path->cycles / role->iterations, left, of_last, even);
    return true;
}

const struct rule rule_peel_and_tail = {
    .name = "peel-and-tail",
    .title = "Short loops spend most of their time in the tail loop",
    .meaning = "Compilers make a main loop that does many iterations at a time (vectorised and unrolled) and "
               "a slow tail loop for the remaining ones. For loops with thousands of iterations that is "
               "right. With few iterations, most of the time is spent in the tail loop.",
    .level = advice_level_HINT,
    .remedies =
        {{audience_CLANG, NULL,
          "If the loop is short: put #pragma clang loop interleave_count(1) unroll(disable) above it, or "
          "compile the file with -fno-unroll-loops.",
          action_UNROLL_LESS},
         {audience_GCC, NULL,
          "If the loop is short: compile without -funroll-loops, or put #pragma GCC unroll 1 above it. From "
          "GCC 13 on, --param vect-partial-vector-usage=2 does the rest with masked vectors (AVX-512, SVE).",
          action_UNROLL_LESS},
         {audience_INTEL, NULL,
          "If the loop is short: #pragma loop_count(n) above it gives the number of iterations, #pragma "
          "nounroll forbids unrolling.",
          action_UNROLL_LESS},
         {audience_C, NULL,
          "Make the number of iterations a constant, or a multiple of the vector length (n & ~7 with padded "
          "arrays), so that nothing is left for the tail loop.",
          action_TRIP_COUNT},
         {audience_FORTRAN, NULL,
          "Declare arrays with constant bounds where possible, so that the compiler knows the number of "
          "iterations.",
          action_TRIP_COUNT},
         {audience_ANY, NULL,
          "Make the innermost loop the longest one: interchange loops, or collapse several short ones into "
          "one.",
          action_EXCHANGE, precondition_nested}},
    .find = find,
};
