/* The cost of denormals on this machine.

   Every kind of operation is timed with normal numbers and with denormal ones: a denormal operand and a
   normal result, normal operands and a denormal result, both denormal. The best of several short runs counts,
   since other activity on the machine only makes them longer. Everything together takes a tenth of a second.

   Packed operations are listed where a denormal costs them more or less than scalar ones. */
#include "run/denormal/parts.h"
#include "base/clock.h"
#include "run/denormal/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPERATIONS =
        1024, /* of a run: some µs, or 0.1 ms with denormals, so that reading the clock hardly counts */
    TRIES = 5,
    WARM_UP_MILLISECONDS = 5 /* until the processor runs at its steady speed */
};
/* Packed operations are listed if their extra time differs by this share and by this much. */
static const double TOLD_SHARE = 0.25, TOLD_SECONDS = 1e-9;
/* Less than a cycle of any processor: the remainder after subtracting the time of the loop around it. */
static const double LEAST_SECONDS = 1e-11;

/* Numbers for each operation and case, of float and of double; the first is 0 if the case is impossible. */
struct choice {
    enum denormal_operation operation;
    enum denormal_type type;
    double numbers[1 + denormal_case_COUNT][3]; /* normal ones first */
};
static const struct choice choices[] = {
    {denormal_operation_ADD,
     denormal_type_FLOAT,
     {{1.5, .75}, {1e-40, 1}, {2e-38, -1.9e-38}, {1e-40, 2e-40}}},
    {denormal_operation_ADD,
     denormal_type_DOUBLE,
     {{1.5, .75}, {1e-310, 1}, {3e-308, -2.9e-308}, {1e-310, 2e-310}}},
    {denormal_operation_MULTIPLY,
     denormal_type_FLOAT,
     {{1.5, .75}, {1e-40, 1e30}, {1e-20, 1e-20}, {1e-40, .75}}},
    {denormal_operation_MULTIPLY,
     denormal_type_DOUBLE,
     {{1.5, .75}, {1e-310, 1e300}, {1e-155, 1e-155}, {1e-310, .75}}},
    {denormal_operation_FMA,
     denormal_type_FLOAT,
     {{1.5, .75, 1}, {1e-40, 1e30, 1}, {1e-20, 1e-20, 0}, {1e-40, .75, 1e-40}}},
    {denormal_operation_FMA,
     denormal_type_DOUBLE,
     {{1.5, .75, 1}, {1e-310, 1e300, 1}, {1e-155, 1e-155, 0}, {1e-310, .75, 1e-310}}},
    {denormal_operation_DIVIDE,
     denormal_type_FLOAT,
     {{1.5, .7}, {1e-40, 1e-30}, {1e-20, 1e20}, {1e-40, 1.3}}},
    {denormal_operation_DIVIDE,
     denormal_type_DOUBLE,
     {{1.5, .7}, {1e-310, 1e-300}, {1e-155, 1e155}, {1e-310, 1.3}}},
    {denormal_operation_SQRT, denormal_type_FLOAT, {{1.5}, {1e-40}}},
    {denormal_operation_SQRT, denormal_type_DOUBLE, {{1.5}, {1e-310}}},
    {denormal_operation_COMPARE, denormal_type_FLOAT, {{1.5, 1}, {1e-40, 1}}},
    {denormal_operation_COMPARE, denormal_type_DOUBLE, {{1.5, 1}, {1e-310, 1}}},
    {denormal_operation_CONVERT, denormal_type_FLOAT, {{1.5}, {1e-40}}},
    {denormal_operation_CONVERT, denormal_type_DOUBLE, {{1.5}, {1e-310}, {1e-40}}},
    {denormal_operation_ADD, denormal_type_X87, {{1.5}, {1e-40}}},
    {denormal_operation_MULTIPLY, denormal_type_X87, {{1.5}, {1e-40}}},
    {denormal_operation_DIVIDE, denormal_type_X87, {{1.5}, {1e-40}}},
    {denormal_operation_LOAD, denormal_type_X87, {{1.5}, {1e-40}}},
    {denormal_operation_STORE, denormal_type_X87, {{1.5, .75}, {0}, {1e-20, 1e-20}}},
};

static void set_numbers(struct kernel_numbers *numbers, enum denormal_type type, const double *values)
{
    for (unsigned operand = 0; operand < 3; operand++) {
        double wide[2] = {values[operand], values[operand]};
        float narrow[4];
        for (unsigned lane = 0; lane < 4; lane++)
            narrow[lane] = (float)values[operand];
        memcpy(numbers->operands[operand], type == denormal_type_DOUBLE ? (void *)wide : (void *)narrow, 16);
    }
}

/* Seconds of one operation. */
static double time_kernel(const struct kernel *kernel, const double *values)
{
    struct kernel_numbers numbers;
    double best = INFINITY;
    set_numbers(&numbers, kernel->type, values);
    for (unsigned try = 0; try < TRIES; try++) {
        double start = clock_monotonic_seconds();
        kernel->run(&numbers, OPERATIONS);
        double taken = clock_monotonic_seconds() - start;
        if (taken < best)
            best = taken;
    }
    return best / OPERATIONS;
}

struct measured {
    const struct kernel *kernel;
    double normal, denormal[denormal_case_COUNT]; /* NaN: cannot be */
};

static const struct choice *choice_of(const struct kernel *kernel)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].operation == kernel->operation && choices[i].type == kernel->type)
            return &choices[i];
    return NULL;
}

static struct measured measure_kernel(const struct kernel *kernel, double around)
{
    const struct choice *choice = choice_of(kernel);
    struct measured measured = {.kernel = kernel};
    if (kernel->type == denormal_type_X87) /* no chain, nothing around it */
        around = 0;
    measured.normal = fmax(time_kernel(kernel, choice->numbers[0]) - around, LEAST_SECONDS);
    for (unsigned i = 0; i < denormal_case_COUNT; i++)
        measured.denormal[i] = choice->numbers[1 + i][0] != 0
                                   ? fmax(time_kernel(kernel, choice->numbers[1 + i]) - around, LEAST_SECONDS)
                                   : NAN;
    return measured;
}

/* Whether the penalty of a packed operation differs from that of the scalar one measured before it. */
static bool is_worth_telling(const struct measured *packed, const struct array *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct measured *scalar = ARRAY_AT(struct measured, all, i);
        if (scalar->kernel->is_packed || scalar->kernel->operation != packed->kernel->operation ||
            scalar->kernel->type != packed->kernel->type)
            continue;
        for (unsigned which = 0; which < denormal_case_COUNT; which++) {
            double theirs = scalar->denormal[which] - scalar->normal;
            double ours = packed->denormal[which] - packed->normal;
            if (fabs(ours - theirs) > TOLD_SECONDS && fabs(ours - theirs) > TOLD_SHARE * fabs(theirs))
                return true;
        }
        return false;
    }
    return true;
}

static void warm_up(const struct kernel *kernel)
{
    const double one[3] = {1, 1, 1};
    double end = clock_monotonic_seconds() + WARM_UP_MILLISECONDS * 1e-3;
    while (clock_monotonic_seconds() < end)
        time_kernel(kernel, one);
}

/* Today's programs have no x87 code; its figures would only distract. */
static bool has_x87(const struct model *model)
{
    for (uint32_t id = 1; id < model->denormal_sites.count; id++) {
        uint32_t row = model_denormal_site(model, id)->instruction;
        if (row && row < model->code.count &&
            model_encoding(model, model_instruction(model, row)->encoding)->element == element_X87)
            return true;
    }
    return false;
}

static struct array measure_all(bool with_x87)
{
    struct array all = ARRAY_OF(struct measured);
    const double one[3] = {1, 1, 1};
    warm_up(&kernels[0]);
    double around = time_kernel(&kernels[0], one);
    for (size_t i = 1; i < kernel_count; i++) {
        if ((kernels[i].needs_fma && !kernels_have_fma()) ||
            (kernels[i].type == denormal_type_X87 && !with_x87) || !choice_of(&kernels[i]))
            continue;
        struct measured measured = measure_kernel(&kernels[i], around);
        if (!kernels[i].is_packed || is_worth_telling(&measured, &all))
            *(struct measured *)array_push(&all) = measured;
    }
    return all;
}

/* Without denormals their cost does not matter. */
static bool has_events(const struct model *model, uint32_t run)
{
    for (uint32_t id =
             denormal_first_of_run(&model->denormal_sites, offsetof(struct denormal_site, run), run);
         id < model->denormal_sites.count && model_denormal_site(model, id)->run == run; id++)
        if (model_denormal_site(model, id)->operand_events ||
            model_denormal_site(model, id)->underflow_events)
            return true;
    return false;
}

static void add_penalties(struct model *model, uint32_t run, const struct measured *measured)
{
    for (unsigned which = 0; which < denormal_case_COUNT; which++) {
        if (isnan(measured->denormal[which]))
            continue;
        const struct kernel *kernel = measured->kernel;
        *(struct denormal_penalty *)model_add(&model->denormal_penalties) =
            (struct denormal_penalty){.run = run,
                                      .operation = (uint8_t)kernel->operation,
                                      .type = (uint8_t)kernel->type,
                                      .is_packed = kernel->is_packed,
                                      .denormal = (uint8_t)which,
                                      .normal_seconds = measured->normal,
                                      .denormal_seconds = measured->denormal[which]};
    }
}

void denormal_measure(struct model *model)
{
    struct array all = {0};
    for (uint32_t run = 1; run < model->denormal_runs.count; run++) {
        if (!has_events(model, run))
            continue;
        if (!all.count)
            all = measure_all(has_x87(model));
        for (size_t i = 0; i < all.count; i++)
            add_penalties(model, run, ARRAY_AT(struct measured, &all, i));
    }
    array_free(&all);
}
