/* Vectors nearly always pay if the gain is large, the numbers are contiguous and the work is floating-point.
   If numbers must be loaded one by one or shuffled, compilers often decide against vectors; loops on integers
   are often short. Both cases are reported as potential; together they make a hint. Loops without accesses
   that move have no work for vectors, and loops that end before a vector is full are short on purpose.

   A loop that computes nothing but moves numbers waits for memory sooner than one that computes. It is
   reported as potential if it is scalar, as a hint if it already uses vectors, and not at all if the numbers
   are not contiguous. Non-temporal stores are written by people who have memory in mind, so their loops are
   not reported.

   Libraries have several versions of a function and choose when they run. If the options are unknown and the
   file has longer vectors elsewhere, a loop with short ones may be the version for older processors, and is
   reported one level lower. An unoptimised loop gets no advice about vectors: optimisation comes first. */
#include "quality/rules/vector_advice.h"

#include "quality/metrics/metrics.h"
#include "quality/values.h"

#include <math.h>
#include <string.h>

/* Below that, the error of the model and a loop's first and last iterations outweigh the gain. Compilers
   estimate higher costs for lanes loaded one by one than we do: of the loops of bench/kernels that gain less
   by our figures, they vectorise none. */
static const double LEAST = 1.1, LEAST_WITH_LANES = 1.3;
/* Bits of the vectors that every processor of x86-64 and AArch64 has (SSE2, Advanced SIMD). */
enum { EVERYWHERE = 128 };
/* From here on it is worth the trouble whatever the loop is for. */
static const double SURE = 1.5;

static const struct remedy no_refusal = {
    audience_ANY, NULL,
    "Remove the option that forbids vectorisation (-fno-tree-vectorize, -fno-vectorize or similar).",
    action_DROP_OPTION};
static const struct remedy gcc_sum = {
    audience_GCC, "-fassociative-math",
    "-fassociative-math -fno-signed-zeros -fno-trapping-math (part of -ffast-math) lets the compiler reorder "
    "additions, so that a sum can be vectorised. The last digits of results change.",
    action_ASSOCIATIVE_MATH};
static const struct remedy clang_sum = {
    audience_CLANG, "-fassociative-math",
    "-fassociative-math -fno-signed-zeros (part of -ffast-math) lets the compiler reorder additions, so that "
    "a sum can be vectorised. The last digits of results change.",
    action_ASSOCIATIVE_MATH};
static const struct remedy intel_sum = {audience_INTEL, "-fp-model=fast",
                                        "-fp-model=fast lets the compiler reorder additions.",
                                        action_ASSOCIATIVE_MATH};
static const struct remedy c_sum = {
    audience_C, NULL,
    "Or for this loop only: #pragma omp simd reduction(+:sum) above it, with -fopenmp-simd (Intel: "
    "-qopenmp-simd).",
    action_SIMD};
static const struct remedy fortran_sum = {audience_FORTRAN, NULL,
                                          "Or for this loop only: !$omp simd reduction(+:sum) above it, "
                                          "with -fopenmp-simd (Intel: -qopenmp-simd).",
                                          action_SIMD};
static const struct remedy gcc_extreme = {
    audience_GCC, "-ffinite-math-only -fno-signed-zeros",
    "-ffinite-math-only -fno-signed-zeros (part of -ffast-math) promises that there are no NaNs and that the "
    "sign of zero does not matter: only then is a minimum or maximum over a loop vectorised.",
    action_FINITE_MATH};
static const struct remedy clang_extreme = {
    audience_CLANG, "-ffinite-math-only -fno-signed-zeros",
    "-ffinite-math-only -fno-signed-zeros (part of -ffast-math) promises that there are no NaNs and that the "
    "sign of zero does not matter: only then is a minimum or maximum over a loop vectorised.",
    action_FINITE_MATH};
static const struct remedy side_by_side = {
    audience_ANY, NULL,
    "Let the innermost loop run along neighbouring elements (stride one): interchange loops or dimensions, "
    "or use a structure of arrays instead of an array of structures.",
    action_EXCHANGE};
static const struct remedy gcc_longest = {
    audience_GCC, "-mprefer-vector-width=512",
    "-mprefer-vector-width=512 makes the compiler use the full vector width; by default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy clang_longest = {
    audience_CLANG, "-mprefer-vector-width=512",
    "-mprefer-vector-width=512 makes the compiler use the full vector width; by default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy intel_longest = {
    audience_INTEL, "-qopt-zmm-usage=high",
    "-qopt-zmm-usage=high makes the compiler use the full vector width; by default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy no_overlap = {audience_C, NULL,
                                         "Declare pointers to arrays that do not overlap restrict, so that "
                                         "the compiler knows that a store does not change later loads.",
                                         action_RESTRICT};
static const struct remedy c_simd = {audience_C, NULL,
                                     "Or put #pragma omp simd above the loop, with -fopenmp-simd (Intel: "
                                     "-qopenmp-simd): it declares the iterations independent.",
                                     action_SIMD};
static const struct remedy fortran_simd = {
    audience_FORTRAN, NULL,
    "Write the loop as do concurrent or as an array expression, or put !$omp simd above it, with "
    "-fopenmp-simd "
    "(Intel: -qopenmp-simd). Declare arrays CONTIGUOUS where they are.",
    action_SIMD};
static const struct remedy gcc_why = {
    audience_GCC, NULL, "-fopt-info-vec-missed reports why the compiler did not vectorise a loop.",
    action_WHY};
static const struct remedy clang_why = {audience_CLANG, NULL,
                                        "-Rpass-missed=loop-vectorize -Rpass-analysis=loop-vectorize reports "
                                        "why the compiler did not vectorise a loop.",
                                        action_WHY};
static const struct remedy intel_why = {
    audience_INTEL, NULL, "-qopt-report reports why the compiler did not vectorise a loop.", action_WHY};

static const struct remedy c_copy = {audience_C, NULL,
                                     "If the loop only copies or fills memory, use memcpy, memmove or "
                                     "memset, which are tuned for the processor.",
                                     action_COPY};
static const struct remedy fortran_copy = {
    audience_FORTRAN, NULL,
    "If the loop only copies or fills memory, assign whole arrays or sections (a = b, a = 0).", action_COPY};

static bool passes_caches(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->is_non_temporal)
            return true;
    return false;
}

static bool computes(const struct subject *subject)
{
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorisable &&
            subject->items[i].is_arithmetic)
            return true;
    return false;
}

static void count(struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    advice->computes = computes(subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->purpose != purpose_DATA || !item->is_vectorisable)
            continue;
        if (item->is_vectorised)
            advice->vector_count++;
        else
            advice->scalar_count++;
    }
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (subject->items[access->item].purpose != purpose_DATA)
            continue;
        advice->access_count++;
        advice->lane_accesses +=
            advice->vectorising->ways && advice->vectorising->ways[access->item] == memory_LANES;
    }
}

/* At most the gain of the number of lanes. If the model shows more, that comes from code placement or from
   better instructions, which is luck. */
static double least_cycles(const struct vector_advice *advice)
{
    const struct vectorising *vectorising = advice->vectorising;
    unsigned bits = vectorising->has_scalars ? vectorising->element : vectorising->vector;
    if (isnan(advice->subject->metric->cycles_vectorised) || !bits || vectorising->bits < bits)
        return NAN;
    return advice->subject->path->cycles * bits / vectorising->bits;
}

bool vector_advice_find(struct vector_advice *advice, const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    /* A version of a loop for special cases gets no advice: the main loop gets it. */
    bool is_other = subject->role && subject->role->role == loop_role_VERSION && subject->family &&
                    subject->family->main != subject->loop;
    if (!subject_is_timed(subject) || subject_is_aside(subject) || is_other ||
        (compiler->flags && compiler->optimisation == 0) || passes_caches(subject))
        return false;
    *advice = (struct vector_advice){.subject = subject, .vectorising = subject->vectorising};
    if (!advice->vectorising || advice->vectorising->obstacle == obstacle_NOTHING ||
        advice->vectorising->obstacle == obstacle_LENGTH)
        return false;
    advice->cycles = fmax(subject->metric->cycles_vectorised, least_cycles(advice));
    advice->speedup = subject->path->cycles / advice->cycles;
    count(advice);
    return true;
}

static bool is_sorted(const struct vector_advice *advice)
{
    for (uint32_t i = 0; i < advice->subject->item_count; i++)
        if (advice->vectorising->ways[i] == memory_SHUFFLED)
            return true;
    return false;
}

bool vector_advice_may_be_older(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    enum isa isa = subject->items[0].row->isa;
    unsigned known = advice->vectorising->vector > EVERYWHERE ? advice->vectorising->vector : EVERYWHERE;
    return !subject->compiler->flags && !advice->scalar_count &&
           (subject->facts->has_scalable[isa] || subject->facts->longest_vector[isa] > known);
}

/* Whether the loop ends at a constant that its counter reaches before a vector is full, from 0 on. */
static bool fills_no_vector(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    const struct cost_item *costs = subject->work->items.data;
    struct values values;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        int64_t end = 0, step = 0;
        bool is_end = item->purpose == purpose_CONTROL && item->row->class == class_COMPARE;
        for (unsigned k = 0; is_end && k < item->operand_count; k++) {
            const struct operand *operand = &item->operands[k];
            if (operand->kind == operand_kind_IMMEDIATE)
                end = operand->value;
            if (operand->kind != operand_kind_REGISTER)
                continue;
            struct value_source source = values_of_register(&values, i, operand->register_);
            if (source.item != VALUE_OUTSIDE && source.item != i &&
                costs[source.item].cost->step.to == costs[source.item].cost->step.from)
                step = costs[source.item].cost->step.constant;
        }
        if (step > 0 && end > 0 && end / step < (int64_t)vector_advice_lanes(advice))
            return true;
    }
    return false;
}

bool vector_advice_gains(const struct vector_advice *advice, struct remark *remark)
{
    bool is_hard = advice->lane_accesses || is_sorted(advice);
    if (!(advice->speedup >= (is_hard ? LEAST_WITH_LANES : LEAST)) || (is_hard && !advice->computes) ||
        !advice->access_count || (advice->scalar_count && fills_no_vector(advice)))
        return false;
    /* Loops that only move bytes wait for memory long before that. */
    remark->cycles = advice->computes ? advice->cycles : NAN;
    if (!advice->computes)
        remark->level = advice->vector_count ? advice_level_HINT : advice_level_POTENTIAL;
    else if (advice->speedup >= SURE && !is_hard && advice->vectorising->has_fp &&
             !advice->vectorising->may_meet)
        remark->level = vector_advice_may_be_older(advice) ? advice_level_POTENTIAL : advice_level_GAIN;
    else
        remark->level = vector_advice_may_be_older(advice) || (is_hard && !advice->vectorising->has_fp)
                            ? advice_level_HINT
                            : advice_level_POTENTIAL;
    return true;
}

bool vector_advice_covers(const struct subject *subject, double cycles)
{
    struct vector_advice advice;
    struct remark remark = {0};
    return vector_advice_find(&advice, subject) && !advice.vectorising->obstacle &&
           vector_advice_gains(&advice, &remark) && remark.level == advice_level_GAIN &&
           advice.cycles <= cycles;
}

/* Whether minima and maxima are those of the standard library, which define the result for NaN: GCC
   vectorises them without further options (since version 12, for AArch64). */
static bool knows_missing_numbers(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (advice->vectorising->carried.kinds[i] == carried_EXTREME &&
            subject->items[i].row->operation != operation_EXTREME_NUMBER)
            return false;
    return true;
}

static void say_carried(const struct vector_advice *advice, struct remark *remark)
{
    const struct compiler *compiler = advice->subject->compiler;
    enum carried_kind kind = advice->vectorising->carried.kind;
    /* Sums that are already in vectors were allowed to be reordered. */
    if (!advice->scalar_count)
        return;
    if (kind == carried_SUM && !(compiler->flags && compiler->has_associative_math)) {
        remark_say(remark, " It is a floating-point sum (or product): vectorising changes the order of "
                           "operations, which a compiler does only if allowed.");
        remark_advise(remark, &gcc_sum);
        remark_advise(remark, &clang_sum);
        remark_advise(remark, &intel_sum);
        remark_advise(remark, &c_sum);
        remark_advise(remark, &fortran_sum);
    } else if (kind == carried_EXTREME) {
        if (!knows_missing_numbers(advice))
            remark_advise(remark, &gcc_extreme);
        remark_advise(remark, &clang_extreme);
    }
}

static bool stores_data(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].stores && !subject->accesses[i].is_stack)
            return true;
    return false;
}

void vector_advice_reasons(const struct vector_advice *advice, struct remark *remark)
{
    const struct subject *subject = advice->subject;
    const struct vectorising *vectorising = advice->vectorising;
    if (subject->compiler->flags && subject->compiler->forbids_vectorising)
        remark_advise(remark, &no_refusal);
    say_carried(advice, remark);
    if (!advice->computes) {
        remark_say(remark, " The loop only copies data; it computes nothing.");
        remark_advise(remark, &c_copy);
        remark_advise(remark, &fortran_copy);
    }
    if (vectorising->may_meet)
        remark_say(remark, " It loads from the array that it stores to: if an iteration needs a value stored "
                           "shortly before, it cannot be vectorised.");
    if (advice->lane_accesses) {
        if (advice->lane_accesses == advice->access_count)
            remark_say(remark, " Its data accesses do not");
        else
            remark_say(remark, " %u of its %u data accesses %s not", advice->lane_accesses,
                       advice->access_count, advice->lane_accesses == 1 ? "does" : "do");
        remark_say(remark, " have stride one and would stay scalar; the estimate includes that.");
        remark_advise(remark, &side_by_side);
    }
    if (vectorising->bits > 256 && subject->machine->isa == isa_X86_64) {
        bool is_next = vectorising->vector == 256 && !advice->scalar_count;
        (is_next ? remark_advise : remark_advise_later)(remark, &gcc_longest);
        (is_next ? remark_advise : remark_advise_later)(remark, &clang_longest);
        (is_next ? remark_advise : remark_advise_later)(remark, &intel_longest);
    }
    if (!advice->scalar_count)
        return;
    if (vectorising->carried.kind == carried_NOTHING && stores_data(subject)) {
        remark_advise_later(remark, &no_overlap);
        remark_advise_later(remark, &c_simd);
        remark_advise_later(remark, &fortran_simd);
    }
    remark_advise_later(remark, &gcc_why);
    remark_advise_later(remark, &clang_why);
    remark_advise_later(remark, &intel_why);
}

void vector_advice_promise(const struct vector_advice *advice, struct remark *remark)
{
    if (!advice->computes)
        return;
    remark_say(remark, " With full vectors, the work of an iteration would take %.2f cycles instead of %.2f.",
               advice->cycles, advice->subject->path->cycles);
}

unsigned vector_advice_lanes(const struct vector_advice *advice)
{
    return advice->subject->machine->core.vector_bits / advice->vectorising->element;
}

const char *vector_advice_numbers(const struct vector_advice *advice)
{
    switch (advice->vectorising->element) {
    case 8:
        return "bytes";
    case 16:
        return "16-bit numbers";
    case 32:
        return advice->vectorising->has_fp ? "single-precision numbers"
               : advice->computes          ? "32-bit integers"
                                           : "32-bit numbers";
    default:
        return advice->vectorising->has_fp ? "double-precision numbers"
               : advice->computes          ? "64-bit integers"
                                           : "64-bit numbers";
    }
}
