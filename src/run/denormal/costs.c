/* Extra time of each site: how often it met denormals, times the cost for an instruction of its kind.

   The processor pays once for an instruction, however many lanes are denormal, so events are counted and not
   lanes. Three cases cost differently: a denormal operand, a denormal result of normal operands, and both.
   There are counts of denormal operands (o) and of denormal results (u), but not of both together. The tracer
   counts births, denormal results of normal operands; the other results had a denormal operand. Without known
   births (the profiler does not count them), a denormal result is assumed to come from a denormal operand, as
   in nearly all programs:

       both = min(o, u - born),  operand alone = o - both,  result alone = u - both

   NULL, never 0, for an unknown instruction or cost. */
#include "run/denormal/parts.h"
#include "run/denormal/kernels.h"

#include <math.h>
#include <stdlib.h>

/* The kind of an instruction among the kernels. false: no kernel has it. */
static bool kind_of(const struct encoding *encoding, enum denormal_operation *operation,
                    enum denormal_type *type)
{
    static const struct {
        enum class class;
        enum denormal_operation operation;
    } known[] = {
        {class_ADD, denormal_operation_ADD},         {class_MULTIPLY, denormal_operation_MULTIPLY},
        {class_FMA, denormal_operation_FMA},         {class_DIVIDE, denormal_operation_DIVIDE},
        {class_SQRT, denormal_operation_SQRT},       {class_COMPARE, denormal_operation_COMPARE},
        {class_MINMAX, denormal_operation_COMPARE}, /* which compares, and returns one of two unchanged */
        {class_CONVERT, denormal_operation_CONVERT}, {class_LOAD, denormal_operation_LOAD},
        {class_STORE, denormal_operation_STORE}};
    size_t i = 0, count = sizeof known / sizeof *known;
    while (i < count && known[i].class != encoding->class)
        i++;
    if (i == count)
        return false;
    *operation = known[i].operation;
    *type = encoding->element == element_FP32   ? denormal_type_FLOAT
            : encoding->element == element_FP64 ? denormal_type_DOUBLE
                                                : denormal_type_X87;
    if (*operation ==
        denormal_operation_CONVERT) /* elements are those of the result, kernels have those of the operand */
        *type = *type == denormal_type_FLOAT ? denormal_type_DOUBLE : denormal_type_FLOAT;
    return encoding->element == element_FP32 || encoding->element == element_FP64 ||
           encoding->element == element_X87;
}

/* Extra seconds by kind, NaN where they were not measured. */
struct penalties {
    double extra[denormal_operation_COUNT][denormal_type_COUNT][2][denormal_case_COUNT];
};

static void read_penalties(const struct model *model, uint32_t run, struct penalties *penalties)
{
    double *all = &penalties->extra[0][0][0][0];
    for (size_t i = 0; i < sizeof penalties->extra / sizeof *all; i++)
        all[i] = NAN;
    for (uint32_t id =
             denormal_first_of_run(&model->denormal_penalties, offsetof(struct denormal_penalty, run), run);
         id < model->denormal_penalties.count && model_denormal_penalty(model, id)->run == run; id++) {
        const struct denormal_penalty *row = model_denormal_penalty(model, id);
        penalties->extra[row->operation][row->type][row->is_packed][row->denormal] =
            fmax(row->denormal_seconds - row->normal_seconds, 0);
    }
    for (unsigned operation = 0; operation < denormal_operation_COUNT; operation++)
        for (unsigned type = 0; type < denormal_type_COUNT; type++)
            for (unsigned which = 0; which < denormal_case_COUNT; which++) {
                double *scalar = penalties->extra[operation][type][0],
                       *packed = penalties->extra[operation][type][1];
                if (isnan(packed[which])) /* measured only where it differs */
                    packed[which] = scalar[which];
            }
}

/* A case that was not measured costs as much as the nearest one; for example, 80-bit results are never
   denormal. */
static double extra_or(double seconds, double other)
{
    return isnan(seconds) ? other : seconds;
}

static double seconds_of(const struct model *model, const struct penalties *penalties,
                         const struct denormal_site *site)
{
    enum denormal_operation operation;
    enum denormal_type type;
    if (!site->instruction || site->instruction >= model->code.count)
        return NAN;
    const struct encoding *encoding =
        model_encoding(model, model_instruction(model, site->instruction)->encoding);
    if (!kind_of(encoding, &operation, &type))
        return NAN;
    const double *cost = penalties->extra[operation][type][encoding->is_vector];
    uint64_t operands = site->operand_events, results = site->underflow_events;
    uint64_t born = site->births < results ? site->births : results;
    uint64_t both = results - born < operands ? results - born : operands;
    double seconds = 0;
    if (both)
        seconds += (double)both * extra_or(cost[denormal_case_BOTH],
                                           extra_or(cost[denormal_case_OPERAND], cost[denormal_case_RESULT]));
    if (operands > both)
        seconds += (double)(operands - both) * cost[denormal_case_OPERAND];
    if (results > both)
        seconds +=
            (double)(results - both) * extra_or(cost[denormal_case_RESULT], cost[denormal_case_OPERAND]);
    return seconds;
}

void denormal_add_costs(struct model *model)
{
    struct penalties penalties;
    uint32_t run = 0;
    for (uint32_t id = 1; id < model->denormal_sites.count; id++) {
        struct denormal_site *site = model_denormal_site(model, id);
        if (id == 1 || site->run != run)
            read_penalties(model, run = site->run, &penalties);
        site->seconds =
            site->operand_events || site->underflow_events ? seconds_of(model, &penalties, site) : NAN;
    }
}
