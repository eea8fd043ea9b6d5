/* Sums, products, minima and maxima over a loop, where each iteration waits for the result of the one before.

   The longest chain of dependences shows the wait. Only chains that could be split into several are reported:
   additions, or multiplications, or minima, one after the other. A chain that mixes them (x = a * x + b) is
   not a reduction, nor is one that goes through addresses. A sum that is kept in memory takes even longer.

   Vectors split a sum into one for each lane, with the same options: if the rules about vectors promise as
   much, this one is only a hint. */
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/overlap.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/rules/vector_advice.h"
#include "code/quality/vector/short_loop.h"
#include "code/quality/without.h"

#include <math.h>
#include <string.h>

/* Latency limits, or nearly so. */
static const double LIMITS = 0.9, NEARLY_ALWAYS = 1.2;
/* Fewer iterations overlap with those of the next sum. */
enum { MANY = 64, FEW = 8 };

static const struct remedy local = {audience_ANY, NULL,
                                    "Accumulate in a local variable and store it after the loop; for an "
                                    "argument of the routine this also rules out aliasing.",
                                    action_KEEP_LOCAL};
static const struct remedy local_first = {
    audience_ANY, NULL,
    "Accumulate in a local variable and store it after the loop. This comes first: what else is named here "
    "helps only together with it, because the stores between the additions stay otherwise.",
    action_KEEP_LOCAL};
static const struct remedy one_format = {
    audience_ANY, NULL,
    "Give the variable the type of the values added to it, so that no conversion is needed (in C, also use "
    "sqrtf and other float functions for float).",
    action_PRECISION};
static const struct remedy more_sums = {audience_GCC, "-fvariable-expansion-in-unroller",
                                        "The loop is vectorised with one accumulator. -funroll-loops "
                                        "-fvariable-expansion-in-unroller makes several.",
                                        action_UNROLL, precondition_float_chain};
static const struct remedy interleave = {
    audience_CLANG, NULL,
    "The loop is vectorised with one accumulator. #pragma clang loop interleave_count(4) makes four.",
    action_UNROLL};

struct chain {
    unsigned sums, products, extremes, moves, conversions, loads, stores, others;
    bool is_vectorised;
    double latency; /* of its arithmetic */
};

/* Whether the chain enters a multiply-add by its addend. */
static bool enters_by_addend(const struct values *values, unsigned item)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned i = 0; i < row->operand_count; i++) {
        if (row->operands[i].kind != operand_kind_REGISTER || row->operands[i].access == access_WRITE)
            continue;
        struct value_source source = values_of_register(values, item, row->operands[i].register_);
        if (source.item != VALUE_OUTSIDE && subject_is_marked(subject, core_part_LATENCY, source.item))
            return row->operands[i].position == row->row->addend;
    }
    return false;
}

static void take(const struct values *values, unsigned item, struct chain *chain)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    const struct machine_cost *cost = subject->work->block.items[item].cost;
    bool computes = true;
    chain->loads += row->row->load_bytes > 0;
    chain->stores += row->row->store_bytes > 0;
    switch (row->row->class) {
    case class_ADD:
        chain->sums++;
        break;
    case class_FMA:
        *(enters_by_addend(values, item) ? &chain->sums : &chain->others) += 1;
        break;
    case class_MULTIPLY:
        chain->products++;
        break;
    case class_MINMAX:
        chain->extremes++;
        break;
    case class_CONVERT:
        chain->conversions++;
        break;
    case class_MOVE:
    case class_LOAD:
    case class_STORE:
        chain->moves++;
        computes = false;
        break;
    default:
        chain->others++;
    }
    if (!computes)
        return;
    /* Chains of x87 code are unreliable: the names of its registers turn. Scalar integers are sums that take
       a cycle each, or products of sizes. */
    if (row->purpose != purpose_DATA || row->row->element == element_X87 ||
        (!row->is_fp && !row->is_vectorised))
        chain->others++;
    chain->is_vectorised = chain->is_vectorised || row->is_vectorised;
    double latency = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER && cost->flows[i].to != RESOURCE_MEMORY)
            latency = fmax(latency, cost->flows[i].latency);
    chain->latency += latency;
}

/* By item: whether it is made from values that the loop loads or counts. Two rounds, because a value may come
   from the iteration before. */
static const uint8_t *find_data(const struct values *values)
{
    const struct subject *subject = values->subject;
    uint8_t *is_data = arena_get(subject->arena, subject->item_count + 1);
    for (unsigned i = 0; i < 2 * subject->item_count; i++) {
        unsigned item = i % subject->item_count;
        const struct subject_item *row = &subject->items[item];
        if (row->row->load_bytes || row->row->class == class_CONVERT)
            is_data[item] = 1;
        for (unsigned u = 0; u < row->use_count && !is_data[item]; u++) {
            struct value_source source = values_source(values, item, u);
            is_data[item] = source.item != VALUE_OUTSIDE && source.item != item && is_data[source.item];
        }
    }
    return is_data;
}

/* Whether something new goes into the chain: powers of one number are not sums over data. */
static bool takes_data(const struct values *values)
{
    const struct subject *subject = values->subject;
    const uint8_t *is_data = find_data(values);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        enum class class = row->row->class;
        if (!subject_is_marked(subject, core_part_LATENCY, i) || class == class_LOAD || class == class_STORE)
            continue;
        if (row->row->load_bytes)
            return true;
        for (unsigned u = 0; u < row->use_count; u++) {
            struct value_source source = values_source(values, i, u);
            if (source.item != VALUE_OUTSIDE && is_data[source.item] &&
                !subject_is_marked(subject, core_part_LATENCY, source.item))
                return true;
        }
    }
    return false;
}

/* Whether an item does nothing but store, always to the same place. */
static bool is_store_of_result(const struct subject *subject, unsigned item)
{
    const struct subject_access *access = values_access(subject, item);
    return subject->items[item].row->class == class_STORE && access &&
           access->pattern == access_pattern_INVARIANT;
}

/* Whether other instructions use intermediate values of the chain: running sums are not reductions. A store
   to the same place in every iteration is not such a use; it is noted. */
static bool is_used_on_the_way(const struct values *values, bool *is_stored)
{
    const struct subject *subject = values->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        for (unsigned u = 0; u < row->use_count && !subject_is_marked(subject, core_part_LATENCY, i); u++) {
            struct value_source source = values_source(values, i, u);
            if (source.item == VALUE_OUTSIDE || !subject_is_marked(subject, core_part_LATENCY, source.item) ||
                model_register(subject->model, row->uses[u].register_)->kind == register_kind_FLAGS)
                continue;
            if (!is_store_of_result(subject, i))
                return true;
            *is_stored = true;
        }
    }
    return false;
}

/* Whether the loads and stores of the chain stay in one place. */
static bool is_in_memory(const struct subject *subject)
{
    bool loads = false, stores = false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (!subject_is_marked(subject, core_part_LATENCY, access->item))
            continue;
        loads = loads || (access->loads && access->pattern == access_pattern_INVARIANT);
        stores = stores || (access->stores && access->pattern == access_pattern_INVARIANT);
    }
    return loads && stores;
}

/* Whether that place is on the stack, which rule spills reports. */
static bool is_on_stack(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject_is_marked(subject, core_part_LATENCY, subject->accesses[i].item) &&
            subject->accesses[i].stores && subject->accesses[i].is_stack)
            return true;
    return false;
}

/* With the value in a register, iterations still wait for its arithmetic. */
static double cycles_in_register(const struct subject *subject, const struct chain *chain)
{
    struct without without;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject_is_marked(subject, core_part_LATENCY, subject->accesses[i].item) &&
            subject->accesses[i].pattern == access_pattern_INVARIANT)
            without_memory(&without, subject->accesses[i].item);
    return fmax(without_cycles(&without), chain->latency);
}

static void say(const struct subject *subject, const struct chain *chain, bool in_memory,
                struct remark *remark)
{
    unsigned steps = chain->sums + chain->products + chain->extremes;
    const char *what = chain->products ? "product" : chain->extremes ? "minimum or maximum" : "sum";
    if (in_memory)
        remark_say(remark,
                   "A %s is kept in memory: each iteration stores it, and the next one waits to load it "
                   "again (store forwarding)",
                   what);
    else if (steps > 1)
        remark_say(remark,
                   "A %s is accumulated in %u steps per iteration, each of which waits for the previous one",
                   what, steps);
    else
        remark_say(remark, "A %s is accumulated, and each iteration waits for the previous one", what);
    remark_say(remark, ", %.2f cycles in all%s.", subject_bound(subject, core_part_LATENCY),
               chain->conversions ? ", with conversions to another number format and back" : "");
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject_is_marked(subject, core_part_LATENCY, i))
            remark_point(remark, i);
    if (chain->conversions)
        remark_advise(remark, &one_format);
    if (in_memory)
        remark_advise(remark, &local);
    else if (chain->is_vectorised) {
        remark_advise(remark, &more_sums);
        remark_advise(remark, &interleave);
    }
}

/* Then other paths add something else or nothing, and mispredictions may cost more than the sum. */
static bool has_branch(const struct subject *subject)
{
    return subject->vectorising && subject->vectorising->obstacle == obstacle_BRANCH;
}

/* The loop around it overlaps sums of few numbers, such as the rows of a sparse matrix. */
static bool is_short(const struct subject *subject)
{
    bool is_indirect = false;
    if (subject->trips)
        return subject->trips < FEW;
    for (unsigned i = 0; i < subject->access_count; i++)
        is_indirect |= subject->accesses[i].pattern == access_pattern_INDIRECT;
    return (is_indirect && model_loop(subject->model, subject->loop)->depth > 1) || short_loop_shows(subject);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct values values;
    struct chain chain = {0};
    bool is_stored = false;
    double waits = subject_bound(subject, core_part_LATENCY);
    if (subject_is_aside(subject) || !subject_is_timed(subject) || subject->metric->call_count ||
        waits < LIMITS * subject->path->cycles)
        return false;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject_is_marked(subject, core_part_LATENCY, i))
            take(&values, i, &chain);
    unsigned kinds = (chain.sums > 0) + (chain.products > 0) + (chain.extremes > 0);
    bool in_memory = chain.loads && chain.stores && is_in_memory(subject);
    if (kinds != 1 || chain.others || (!in_memory && chain.stores) || (in_memory && is_on_stack(subject)) ||
        is_used_on_the_way(&values, &is_stored) || !takes_data(&values))
        return false;
    double cycles =
        in_memory ? cycles_in_register(subject, &chain) : subject->metric->cycles_without_dependence;
    if (!without_gains(subject, cycles))
        return false;
    remark->cycles = cycles;
    /* Compilers rarely make vectors of numbers that are apart, so partial sums are left to people. */
    bool is_apart = !in_memory && subject->vectorising && subject->vectorising->has_lanes;
    remark->is_upper = is_apart;
    if (subject->path->cycles >= NEARLY_ALWAYS * cycles && subject->trips >= MANY && !is_apart)
        remark->level = advice_level_GAIN;
    if (vector_advice_covers(subject, cycles) || has_branch(subject) || is_short(subject))
        remark->level = advice_level_HINT;
    say(subject, &chain, in_memory, remark);
    iterations_caution(subject, remark);
    if (!in_memory) {
        overlap_take(subject, remark);
        if (!(remark->now >= LEAST_GAIN * cycles) && !isnan(remark->now))
            remark->level = advice_level_HINT;
    }
    if (is_stored && !in_memory)
        remark_advise(remark, &local_first);
    return true;
}

const struct rule rule_reduction = {
    .name = "reduction",
    .title = "Each iteration waits for the sum of the previous one",
    .meaning = "An addition takes several cycles, but a new one can start every cycle. If all of them go "
               "into one sum, each waits for the previous one (a loop-carried dependence), and most of the "
               "processor's throughput goes unused. Several partial sums, combined after the loop, do not "
               "wait for each other. Compilers may not do that with floating-point numbers by default, "
               "because the last digits of the result can change.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-fassociative-math",
          "-O3 -fassociative-math -fno-signed-zeros -fno-trapping-math (part of -ffast-math) lets "
          "the compiler reorder sums "
          "and vectorise the loop.",
          action_ASSOCIATIVE_MATH, precondition_float_sum_for_vectors},
         {audience_CLANG, "-fassociative-math",
          "-fassociative-math -fno-signed-zeros (part of -ffast-math) lets the compiler reorder "
          "sums, vectorise the loop and use several accumulators.",
          action_ASSOCIATIVE_MATH, precondition_float_chain},
         {audience_INTEL, "-fp-model=fast", "-fp-model=fast lets the compiler reorder sums.",
          action_ASSOCIATIVE_MATH, precondition_float_chain},
         {audience_C, NULL,
          "Put #pragma omp simd reduction(+:sum) above the loop, which needs the form for (i = 0; i < "
          "n; i++), and compile with -fopenmp-simd (Intel: -qopenmp-simd).",
          action_SIMD, precondition_scalar_sum},
         {audience_FORTRAN, NULL,
          "Put !$omp simd reduction(+:sum) above the loop and compile with -fopenmp-simd (Intel: "
          "-qopenmp-simd).",
          action_SIMD, precondition_scalar_sum},
         {audience_ANY, NULL,
          "Or write it by hand: several partial sums (or maxima), say eight, each for every eighth element, "
          "combined after the loop.",
          action_PARTIAL_SUMS}},
    .find = find,
};
