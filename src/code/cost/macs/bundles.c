/* The formula, and why it holds.

   Let every bundle be mmf: n bundles hold n floating-point and 2n memory operations. A branch needs a slot of
   one of them. Of the shapes that no other shape covers, mfb gives up one memory operation for one branch,
   mmb one floating-point operation for one, mbb one of each for two, bbb all three for three. So each branch
   costs exactly one other operation, and a bundle gives up a second memory operation only if it gives up its
   floating-point operation too. With a = n - t_f bundles that can give that up,
       t_b <= a + min(2n - t_m, n + a),
   and solving for n gives the largest of t_f, t_m/2, (t_f + t_m + t_b)/3 and (2 t_f + t_b)/3 as the least n,
   rounded up for whole bundles. For pairs the shapes that no other covers are mmf|mmf and mmf followed by
   mfb, mmb, mbb or bbb, the same trade with 2n and 4n; there a cycle gives up at most one floating-point
   operation, a = min(2n - t_f, n), which adds two more terms.

   This depends on the shapes of the machine: bundles_prepare compares them with those above, and if they
   differ only the integer program is used. The tests compare the formula with GLPK. */
#include "code/cost/macs/bundles.h"

#include <math.h>
#include <string.h>

static void count_slots(const char *template, struct bundle_shape *shape, bool has_branches)
{
    for (; *template; template ++) {
        shape->floating += *template == 'f';
        shape->memory += *template == 'm';
        shape->branches += *template == 'b' && has_branches;
    }
}

static bool covers(const struct bundle_shape *a, const struct bundle_shape *b)
{
    return a->floating >= b->floating && a->memory >= b->memory && a->branches >= b->branches;
}

static bool is_shape(const struct bundle_shape *shape, const uint8_t usual[3])
{
    return shape->floating == usual[0] && shape->memory == usual[1] && shape->branches == usual[2];
}

/* Whether the shapes that no other one covers are the five of the formula. */
static bool has_usual_shapes(const struct bundle_program *program)
{
    static const uint8_t single[5][3] = {{1, 2, 0}, {1, 1, 1}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}};
    static const uint8_t pairs[5][3] = {{2, 4, 0}, {2, 3, 1}, {1, 4, 1}, {1, 3, 2}, {1, 2, 3}};
    const uint8_t(*usual)[3] = program->is_single ? single : pairs;
    bool seen[5] = {false};
    for (unsigned i = 0; i < program->count; i++) {
        bool is_covered = false;
        for (unsigned k = 0; k < 5; k++) {
            struct bundle_shape wanted = {
                .floating = usual[k][0], .memory = usual[k][1], .branches = usual[k][2]};
            seen[k] = seen[k] || is_shape(&program->shapes[i], usual[k]);
            is_covered = is_covered || covers(&wanted, &program->shapes[i]);
        }
        if (!is_covered)
            return false;
    }
    return seen[0] && seen[1] && seen[2] && seen[3] && seen[4];
}

void bundles_prepare(struct bundle_program *program, const struct machine *machine, bool is_single)
{
    *program = (struct bundle_program){.machine = machine, .is_single = is_single};
    for (unsigned first = 0; first < machine->template_count; first++) {
        struct bundle_shape *shape = &program->shapes[program->count++];
        *shape = (struct bundle_shape){.first = (uint8_t)first, .second = NO_TEMPLATE};
        count_slots(machine->templates[first], shape, true);
        for (unsigned second = 0; !is_single && machine->bundles > 1 && second < machine->template_count;
             second++) {
            uint8_t pair = machine->pairs[first][second];
            if (!(pair & pair_ISSUES))
                continue;
            shape = &program->shapes[program->count++];
            *shape = (struct bundle_shape){.first = (uint8_t)first, .second = (uint8_t)second};
            count_slots(machine->templates[first], shape, !(pair & pair_NO_BRANCH));
            count_slots(machine->templates[second], shape, true);
        }
    }
    program->is_usual = machine->bundles == 2 && has_usual_shapes(program);
}

double bundles_formula(const struct bundle_program *program, double f, double m, double b)
{
    if (program->is_single)
        return fmax(fmax(f, m / 2), fmax((f + m + b) / 3, (2 * f + b) / 3));
    return fmax(fmax(fmax(f / 2, m / 4), fmax(b / 3, (f + m + b) / 6)), fmax((m + b) / 5, (2 * f + b) / 5));
}
