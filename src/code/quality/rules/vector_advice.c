/* Vectors nearly always pay if the gain is large, the numbers are contiguous and the work is floating-point.
   If numbers must be loaded one by one or shuffled, compilers often decide against vectors; loops on integers
   are often short. Both cases are reported as potential; together they make a hint. Loops without accesses
   that move have no work for vectors, and loops that end before a vector is full are short on purpose.

   A loop that computes nothing but moves numbers waits for memory sooner than one that computes. It is
   reported as potential if it is scalar, and not at all if the numbers are not contiguous. It is a hint if it
   already uses vectors, moves bytes (names, headers) or is in another loop: most of these are short, and
   short copies get slower. Non-temporal stores are written by people who have memory in mind, so their loops
   are not reported.

   The promise is that of the first remedy, with the vectors that the compiler uses then (rules/targets.h):
   the present target's for a scalar loop, those of -march=native where vectors of the target's length are in
   use already, the processor's longest where these are. A loop in which the target's vectors gain nothing, or
   for which it lacks an instruction, gets the promise of -march=native.

   A promise needs independent iterations, and enough of them (vector/doubts.h). If one of these is unknown,
   the advice is at most potential and its gain an upper limit. Where an unknown number seems small, it is a
   hint. A constant number of iterations is part of the estimate: those that fill no vector are done one by
   one. The same holds for a compiler that was allowed to vectorise the loop and did not, without a reason
   that we know.

   Libraries have several versions of a function and choose when they run. If the options are unknown and the
   file has longer vectors elsewhere, a loop with short ones may be the version for older processors, and is
   reported one level lower. An unoptimised loop gets no advice about vectors: optimisation comes first. */
#include "code/quality/rules/vector_advice.h"

#include "code/quality/metrics/metrics.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/targets.h"
#include "code/quality/values.h"

#include <math.h>
#include <string.h>

/* Below that, the error of the model and a loop's first and last iterations outweigh the gain. Compilers
   estimate higher costs for lanes loaded one by one than we do: of the loops of bench/kernels that gain less
   by our figures, they vectorise none. */
static const double LEAST = 1.1, LEAST_WITH_LANES = 1.3;
/* From here on it is worth the trouble whatever the loop is for. */
static const double SURE = 1.5;
/* So many iterations are worth a word: those that fill no vector take part of the time. */
enum { SHORT = 64 };
/* Below so many iterations with full vectors, what comes before and after them outweighs part of the gain. */
enum { LEAST_VECTORS = 8 };
/* And below so many it is not worth the trouble. */
enum { FEWEST_VECTORS = 2 };
/* A loop is all that a function does if it has one in so many of its instructions. */
enum { MOST_OF = 4 };

static const struct remedy no_refusal = {
    audience_ANY, NULL,
    "Remove the option that forbids vectorisation (-fno-tree-vectorize, -fno-vectorize or similar).",
    action_DROP_OPTION};
static const struct remedy with_target = {
    audience_ANY, "-march",
    "Compile with -O3 and for this processor (-march=native, -mcpu=native) at once: -O3 alone gains nothing "
    "here.",
    action_TARGET};
static const struct remedy gcc_sum = {
    audience_GCC, "-fassociative-math",
    "-O3 with -fassociative-math -fno-signed-zeros -fno-trapping-math (part of -ffast-math) lets the "
    "compiler "
    "reorder additions, so that a sum can be vectorised. The last digits of results change.",
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
    "Or for this loop only, if it has the form for (i = 0; i < n; i++): #pragma omp simd reduction(+:sum) "
    "above it, with -fopenmp-simd (Intel: -qopenmp-simd).",
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
    "-mprefer-vector-width=512 makes the compiler use the full vector width of a target with AVX-512 "
    "(-march=native); by default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy clang_longest = {
    audience_CLANG, "-mprefer-vector-width=512",
    "-mprefer-vector-width=512 makes the compiler use the full vector width of a target with AVX-512 "
    "(-march=native); by default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy intel_longest = {
    audience_INTEL, "-qopt-zmm-usage=high",
    "-qopt-zmm-usage=high makes the compiler use the full vector width of a target with AVX-512 (-xHost); by "
    "default it uses half.",
    action_VECTOR_WIDTH};
static const struct remedy no_overlap = {audience_C, NULL,
                                         "Declare pointers to arrays that do not overlap restrict, so that "
                                         "the compiler knows that a store does not change later loads.",
                                         action_RESTRICT, precondition_two_arrays};
static const struct remedy c_simd = {audience_C, NULL,
                                     "Or put #pragma omp simd above a loop of the form for (i = 0; i < n; "
                                     "i++), with -fopenmp-simd (Intel: -qopenmp-simd): it declares the "
                                     "iterations independent.",
                                     action_SIMD, precondition_independent};
static const struct remedy many_simd = {
    audience_C, NULL,
    "Put #pragma omp simd above the loop, in the form for (i = 0; i < n; i++), with -fopenmp-simd, if a store to "
    "one of its arrays changes no other: -O3 alone does nothing where too many of them may overlap.",
    action_SIMD, precondition_independent};
static const struct remedy fortran_simd = {
    audience_FORTRAN, NULL,
    "Write the loop as do concurrent or as an array expression, or put !$omp simd above it, with "
    "-fopenmp-simd "
    "(Intel: -qopenmp-simd). Declare arrays CONTIGUOUS where they are.",
    action_SIMD, precondition_independent};
static const struct remedy wider_index = {
    audience_C, NULL,
    "Use size_t or long for the index and for everything that is added to it or multiplied by it, instead of "
    "unsigned int, and compile with -O3 (Clang: -O2): such a subscript cannot wrap around at 2^32.",
    action_INDEX_TYPE};
static const struct remedy keep_pointer = {
    audience_ANY, NULL,
    "Copy the pointer, or the number of iterations, to a local variable before the loop and use that, and "
    "compile with -O3 (Clang: -O2).",
    action_HOIST};
static const struct remedy load_again = {
    audience_ANY, NULL,
    "If the loop does not overwrite it, load the value again where it is needed (x[i - 1]) instead of "
    "keeping it in a variable from one iteration to the next.",
    action_RELOAD};
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
                                     "Copy with memcpy, or with memmove if both places may overlap: they are "
                                     "tuned for the processor.",
                                     action_COPY};
static const struct remedy c_fill = {audience_C, NULL, "Fill with memset, which is tuned for the processor.",
                                     action_COPY};
static const struct remedy fortran_copy = {audience_FORTRAN, NULL,
                                           "Assign whole arrays or sections (a = b, a = 0).", action_COPY};
static const struct remedy forwards = {
    audience_ANY, NULL,
    "Copy the numbers in reverse order to an array of their own first, or keep them in separate arrays (a "
    "structure of arrays).",
    action_LAYOUT};

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
    advice->moved = advice->computes ? moved_NOTHING : moved_find(subject);
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
        bool is_lane = advice->vectorising->ways && advice->vectorising->ways[access->item] == memory_LANES;
        advice->access_count++;
        advice->lane_accesses += is_lane;
        advice->lane_stores += is_lane && access->stores && access->stride;
        advice->strided_accesses += is_lane && access->pattern == access_pattern_CONSTANT_STRIDE;
    }
}

/* Iterations that one with vectors of so many bits does; 0: unknown. */
static int64_t iterations_at_a_time(const struct vector_advice *advice, unsigned vector)
{
    const struct vectorising *vectorising = advice->vectorising;
    unsigned bits = vectorising->has_scalars ? vectorising->element : vectorising->vector;
    return bits ? vector / bits : 0;
}

/* Clang makes at least two running sums of vectors where an iteration waits for the sum; the rest of its work
   remains. */
static double interleaved(const struct vector_advice *advice, double cycles, unsigned lanes)
{
    enum { SUMS = 2 };
    const struct subject *subject = advice->subject;
    if (subject->compiler->family != compiler_CLANG || advice->vectorising->carried.kind != carried_SUM ||
        subject->path->limit != core_part_LATENCY || !advice->vectorising->has_scalars)
        return cycles;
    return fmax(cycles / SUMS, subject->metric->cycles_without_dependence / lanes);
}

static bool is_gcc(const struct subject *subject)
{
    return subject->compiler->family == compiler_GCC;
}

/* Bits of the smallest numbers that the loop's data instructions work on. */
static unsigned narrowest(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    unsigned least = advice->vectorising->element;
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        unsigned bits = item->element_bits;
        if (item->purpose != purpose_DATA)
            continue;
        if (item->row->load_bytes && item->row->load_bytes * 8 < bits) /* and widens it */
            bits = item->row->load_bytes * 8;
        if (bits >= 8 && bits < least)
            least = bits;
    }
    return least;
}

/* GCC fills vectors with the smallest numbers of a loop, and works on the wider ones in several vectors, each
   with a running sum of its own. The estimate fills them with the widest: what works on small numbers, or
   counts, is done more often there than it need be. The part of its cycles that is left. */
static double part_left(const struct vector_advice *advice, unsigned narrow)
{
    const struct subject *subject = advice->subject;
    double part = (double)narrow / advice->vectorising->element;
    double left = 0;
    unsigned all = 0;
    if (advice->vectorising->carried.kind == carried_SUM && subject->path->limit == core_part_LATENCY)
        return part;
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        bool is_work = item->purpose == purpose_DATA && item->is_vectorisable && item->element_bits;
        if (item->row->class == class_NOP)
            continue;
        all++;
        left += fmax(part, is_work ? (double)item->element_bits / advice->vectorising->element : 0);
    }
    return all ? left / all : 1;
}

/* Cycles with such vectors. At most the gain of the number of lanes: if the model shows more, that comes from
   code placement or from better instructions, which is luck. Iterations that fill no vector take as long as
   now: what is left of a constant number, or, where it varies, half a vector each time. */
static double cycles_with(const struct vector_advice *advice, struct vector_choice choice)
{
    const struct vectorising *vectorising = advice->vectorising;
    unsigned of_one = vectorising->has_scalars ? vectorising->element : vectorising->vector;
    unsigned lanes = of_one ? choice.bits / of_one : 0;
    int64_t trips = vectorising->doubts.trips;
    double now = advice->subject->path->cycles, cycles = choice.cycles;
    if (isnan(cycles) || !lanes)
        return cycles;
    unsigned narrow = narrowest(advice);
    if (is_gcc(advice->subject) && vectorising->has_scalars && !vectorising->has_vectors &&
        !vectorising->has_lanes && narrow < of_one) {
        cycles *= part_left(advice, narrow);
        lanes = choice.bits / narrow;
    }
    cycles = interleaved(advice, fmax(cycles, now / lanes), lanes);
    double counted = advice->subject->counted_trips;
    double rest = isfinite(counted) ? fmin(1, (lanes - 1) / 2.0 / counted)
                  : trips           ? (double)(trips % lanes) / (double)trips
                                    : 0;
    return rest * now + (1 - rest) * cycles;
}

static void promise(struct vector_advice *advice, unsigned bits)
{
    struct vector_choice choice = vectorising_within(advice->vectorising, bits);
    advice->bits = choice.bits;
    advice->cycles = cycles_with(advice, choice);
    advice->speedup = advice->subject->path->cycles / advice->cycles;
}

/* What the first remedy brings, and what the target brings beyond it. */
static void find_promises(struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    const struct vectorising *vectorising = advice->vectorising;
    unsigned used = vectorising->has_scalars ? 0 : vectorising->vector;
    unsigned target = target_bits(subject), native = target_native_bits(subject);
    advice->longest =
        cycles_with(advice, (struct vector_choice){subject->metric->cycles_vectorised, vectorising->bits});
    promise(advice, used < target ? target : used < native ? native : subject->machine->core.vector_bits);
    advice->native = NAN;
    if (!vectorising->has_scalars || native <= target)
        return;
    double cycles = cycles_with(advice, vectorising_within(vectorising, native));
    advice->needs_native = !(advice->speedup >= LEAST);
    if (advice->needs_native)
        promise(advice, native);
    else if (advice->cycles >= LEAST * cycles && precondition_more_instructions(subject))
        advice->native = cycles;
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
    find_promises(advice);
    count(advice);
    return true;
}

static bool is_sorted(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (advice->vectorising->ways[i] == memory_SHUFFLED ||
            (!advice->scalar_count && subject->items[i].purpose == purpose_DATA &&
             subject->items[i].row->class == class_SHUFFLE && subject->items[i].row->is_vector))
            return true;
    return false;
}

bool vector_advice_may_be_older(const struct vector_advice *advice)
{
    const struct subject *subject = advice->subject;
    enum isa isa = subject->items[0].row->isa;
    unsigned known =
        advice->vectorising->vector > target_BASELINE ? advice->vectorising->vector : target_BASELINE;
    return !subject->compiler->flags && !advice->scalar_count &&
           (subject->facts->code.has_scalable[isa] || subject->facts->code.longest_vector[isa] > known);
}

/* Whether the loop ends at a constant that its counter reaches before two vectors are full, from 0 on. */
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
        if (step > 0 && end > 0 && end / step < FEWEST_VECTORS * (int64_t)vector_advice_lanes(advice))
            return true;
    }
    return false;
}

/* Whether the compiler was allowed to vectorise the loop, and nothing that we know of kept it from that. */
static bool is_refused(const struct vector_advice *advice)
{
    const struct compiler *compiler = advice->subject->compiler;
    enum carried_kind kind = advice->vectorising->carried.kind;
    bool may_have_been = compiler->family == compiler_GCC ? compiler->optimisation > 2 : compiler->vectorises;
    return advice->scalar_count && compiler->flags && may_have_been && !compiler->forbids_vectorising &&
           (kind == carried_NOTHING || kind == carried_REDUCTION);
}

/* Whether vectors may turn out to be impossible, for the compiler at least. */
static bool may_be_refused(const struct vector_advice *advice)
{
    const struct vector_doubts *doubts = &advice->vectorising->doubts;
    uint32_t none = advice->subject->item_count;
    return advice->scalar_count &&
           (doubts->may_meet || doubts->has_many || doubts->wraps < none || doubts->reloads < none ||
            advice->vectorising->carried.passed < none || is_refused(advice));
}

static bool is_nested(const struct subject *subject)
{
    return model_loop(subject->model, subject->loop)->depth > 1;
}

/* Moved bytes, and what is moved in another loop, are mostly few; -O3 then makes the loop slower. A function that does
   nothing but copy bytes is what memcpy is for. */
static enum advice_level level_of_move(const struct vector_advice *advice)
{
    enum { BYTE = 8 };
    const struct subject *subject = advice->subject;
    uint32_t function = model_loop(subject->model, subject->loop)->function;
    bool may_be_few = !advice->vectorising->doubts.trips && is_nested(subject);
    bool is_all =
        advice->moved == moved_COPIED &&
        subject->item_count * MOST_OF >= model_function(subject->model, function)->instruction_count;
    return advice->vector_count || (advice->vectorising->element == BYTE && !is_all) || may_be_few
               ? advice_level_HINT
               : advice_level_POTENTIAL;
}

/* Whether lanes come from places that loaded values select, and the vectors have no gather: each lane is then
   loaded and inserted, which takes as long as the scalar loop. */
static bool gathers_by_hand(const struct vector_advice *advice)
{
    return advice->lane_accesses > advice->strided_accesses && advice->bits <= target_BASELINE;
}

/* Whether the compiler is, or may be, a GCC that lacks something. */
static bool may_be_gcc(const struct subject *subject)
{
    return subject->compiler->family != compiler_CLANG && subject->compiler->family != compiler_INTEL;
}

static bool has_refused_groups(const struct subject *subject)
{
    return subject->vectorising && subject->vectorising->has_backward_groups && may_be_gcc(subject);
}

/* Whether it adds up numbers that are apart, on vectors without a gather. With every option that allows it,
   GCC 12 and Clang 14 made a strided sum no faster on AArch64 (1.0) and hardly on x86-64 (0.9 to 1.3), GCC a gathered one neither; what Clang gains there
   (1.9) comes from several accumulators. Rule reduction has what helps. */
static bool sums_apart(const struct vector_advice *advice)
{
    return advice->lane_accesses && !advice->vector_count &&
           advice->vectorising->carried.kind == carried_SUM && advice->bits <= target_BASELINE;
}

/* The level of a gain that nothing casts doubt on, but for the number of iterations. All remedies together
   count, the target too. */
static enum advice_level level_of_long(const struct vector_advice *advice)
{
    double speedup = fmax(advice->speedup, advice->subject->path->cycles / advice->native);
    bool is_hard = advice->lane_accesses || is_sorted(advice);
    if (!advice->computes)
        return level_of_move(advice);
    /* For strides that are unknown, GCC makes a version for stride one; known ones are stored lane by lane.
     */
    if (has_refused_groups(advice->subject) || gathers_by_hand(advice) || advice->lane_stores ||
        sums_apart(advice))
        return advice_level_HINT;
    if (speedup >= SURE && !is_hard && advice->vectorising->has_fp && !may_be_refused(advice))
        return vector_advice_may_be_older(advice) ? advice_level_POTENTIAL : advice_level_GAIN;
    return vector_advice_may_be_older(advice) || (is_hard && !advice->vectorising->has_fp)
               ? advice_level_HINT
               : advice_level_POTENTIAL;
}

static bool is_worth_saying(const struct vector_advice *advice)
{
    bool is_hard = advice->lane_accesses || is_sorted(advice);
    int64_t trips = advice->vectorising->doubts.trips;
    if (sums_apart(advice) && advice->subject->machine->isa == isa_AARCH64)
        return false;
    return advice->speedup >= (is_hard ? LEAST_WITH_LANES : LEAST) && (!is_hard || advice->computes) &&
           advice->access_count && !(!trips && advice->scalar_count && fills_no_vector(advice)) &&
           !(trips && (trips < iterations_at_a_time(advice, advice->vectorising->bits) ||
                       trips < FEWEST_VECTORS * iterations_at_a_time(advice, advice->bits)));
}

/* Vectors of numbers that are walked backwards must be reversed, which the estimate leaves out. */
static bool goes_backwards(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->items[subject->accesses[i].item].purpose == purpose_DATA &&
            subject->accesses[i].stride < 0)
            return true;
    return false;
}

bool vector_advice_gains(const struct vector_advice *advice, struct remark *remark)
{
    const struct vector_doubts *doubts = &advice->vectorising->doubts;
    if (!is_worth_saying(advice))
        return false;
    /* Loops that only move bytes wait for memory long before that. */
    remark->cycles = advice->computes ? advice->cycles : NAN;
    remark->native = advice->computes ? advice->native : NAN;
    remark->level = level_of_long(advice);
    bool is_short =
        doubts->trips && doubts->trips < LEAST_VECTORS * iterations_at_a_time(advice, advice->bits);
    bool is_backwards = goes_backwards(advice->subject);
    if ((!doubts->trips || is_short || is_backwards) && remark->level == advice_level_GAIN)
        remark->level = advice_level_POTENTIAL;
    /* Rows of sparse matrices: few numbers, at places that the data decides. */
    bool is_sparse = !doubts->trips && is_nested(advice->subject) && advice->lane_accesses;
    /* Two doubts are too many: x[i] = x[i - 1] + y[i] with subscripts that wrap around. */
    uint32_t none = advice->subject->item_count;
    bool is_doubtful = (doubts->may_meet && doubts->wraps < none) ||
                       (is_short && advice->vectorising->carried.passed < none);
    if ((is_sparse || is_doubtful || doubts->seems_short) && remark->level == advice_level_POTENTIAL)
        remark->level = advice_level_HINT;
    /* A subscript that wraps around is a known cause, with a remedy. */
    bool is_certain = doubts->wraps < advice->subject->item_count && !doubts->may_meet && !doubts->has_many &&
                      advice->vectorising->carried.passed == advice->subject->item_count;
    /* Compilers often decide against vectors of numbers that are apart. */
    remark->is_upper =
        advice->computes && (!doubts->trips || is_short || is_backwards || advice->lane_accesses ||
                             (may_be_refused(advice) && !is_certain) ||
                             (advice->scalar_count && target_is_guessed(advice->subject)));
    return true;
}

bool vector_advice_covers(const struct subject *subject, double cycles)
{
    struct vector_advice advice;
    struct remark remark = {0};
    return vector_advice_find(&advice, subject) && !advice.vectorising->obstacle &&
           vector_advice_gains(&advice, &remark) && level_of_long(&advice) == advice_level_GAIN &&
           advice.longest <= cycles;
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

static void say_doubts(const struct vector_advice *advice, struct remark *remark)
{
    const struct vectorising *vectorising = advice->vectorising;
    const struct vector_doubts *doubts = &vectorising->doubts;
    uint32_t none = advice->subject->item_count;
    if (advice->scalar_count && doubts->wraps < none) {
        remark_say(remark,
                   " Subscripts are unsigned 32-bit numbers, which wrap around at 2^32, so the compiler "
                   "cannot rely on neighbouring iterations accessing neighbouring elements.");
        remark_point(remark, doubts->wraps);
        remark_advise(remark, &wider_index);
    }
    if (advice->scalar_count && doubts->reloads < none) {
        remark_say(remark,
                   " A pointer or the number of iterations is loaded again in every iteration, because a "
                   "store may change it: before that is in a local variable, the compiler does not "
                   "vectorise the loop.");
        remark_point(remark, doubts->reloads);
        remark_advise(remark, &keep_pointer);
    }
    if (advice->scalar_count && vectorising->carried.passed < none) {
        remark_say(remark, " An iteration uses a value that the one before computed or loaded; GCC up to "
                           "version 12 does not vectorise that if the source keeps it in a variable.");
        remark_point(remark, vectorising->carried.passed);
        remark_advise_later(remark, &load_again);
    }
    if (advice->scalar_count && doubts->may_meet)
        remark_say(remark, " It loads from the array that it stores to: if an iteration needs a value stored "
                           "shortly before, it cannot be vectorised.");
    else if (advice->scalar_count && doubts->has_many) {
        remark_say(remark, " It works on too many arrays for the compiler to check when it starts whether "
                           "they overlap.");
        remark_advise(remark, &many_simd);
    } else if (doubts->wraps == none && is_refused(advice))
        remark_say(remark, " The options let the compiler vectorise it; it had a reason not to.");
    if (doubts->seems_short)
        remark_say(remark,
                   " The number of iterations is unknown. The loop looks like one over channels, axes "
                   "or fields (its limit, or what it walks through): with few there is no gain.");
    else if (!doubts->trips && !advice->computes)
        remark_say(remark, " The number of iterations is unknown: with few of them (below about 16 bytes) it "
                           "gets slower.");
    else if (!doubts->trips)
        remark_say(remark, " The number of iterations is unknown: with few of them the gain is smaller.");
    else if (doubts->trips < SHORT)
        iterations_say(advice->subject, advice->computes ? ", which the estimate includes." : ".", remark);
}

static void say_moved(const struct vector_advice *advice, struct remark *remark)
{
    static const char *const what[] = {
        [moved_NOTHING] = "moves data",
        [moved_COPIED] = "copies data",
        [moved_FILLED] = "fills memory",
        [moved_REPEATED] = "fills memory with a value of several bytes",
        [moved_COUNTED] = "stores its counter, or addresses",
        [moved_CONVERTED] = "copies numbers to others of more or fewer bytes",
        [moved_REVERSED] = "reverses the order of data",
        [moved_EXCHANGED] = "exchanges data",
    };
    remark_say(remark, " The loop only %s; it computes nothing else.", what[advice->moved]);
    if (advice->moved == moved_COPIED)
        remark_advise(remark, &c_copy);
    else if (advice->moved == moved_FILLED)
        remark_advise(remark, &c_fill);
    if (advice->moved >= moved_COPIED && advice->moved <= moved_REPEATED)
        remark_advise(remark, &fortran_copy);
}

/* Table lookups have no other order; strides do. */
static void say_lanes(const struct vector_advice *advice, struct remark *remark)
{
    unsigned lanes = advice->lane_accesses;
    if (lanes == advice->access_count)
        remark_say(remark, " Its data accesses do not");
    else
        remark_say(remark, " %u of its %u data accesses %s not", lanes, advice->access_count,
                   lanes == 1 ? "does" : "do");
    remark_say(remark, " have stride one and would stay scalar; the estimate includes that.");
    if (advice->strided_accesses)
        remark_advise(remark, &side_by_side);
}

void vector_advice_reasons(const struct vector_advice *advice, struct remark *remark)
{
    const struct subject *subject = advice->subject;
    const struct vectorising *vectorising = advice->vectorising;
    if (subject->compiler->flags && subject->compiler->forbids_vectorising)
        remark_advise(remark, &no_refusal);
    if (advice->needs_native && advice->scalar_count)
        remark_advise(remark, &with_target);
    say_carried(advice, remark);
    if (!advice->computes)
        say_moved(advice, remark);
    say_doubts(advice, remark);
    if (advice->lane_accesses)
        say_lanes(advice, remark);
    if (has_refused_groups(subject)) {
        remark_say(remark, " Groups of neighbouring numbers (re, im) are accessed backwards, which GCC up to "
                           "version 12 does not vectorise.");
        remark_advise(remark, &forwards);
    }
    /* Elements that are loaded one by one take longer the longer the vector is. */
    bool is_partly = advice->scalar_count && advice->vector_count;
    if (vectorising->bits > 256 && subject->machine->isa == isa_X86_64 && !is_partly) {
        bool is_next = vectorising->vector == 256 && !advice->scalar_count;
        (is_next ? remark_advise : remark_advise_later)(remark, &gcc_longest);
        (is_next ? remark_advise : remark_advise_later)(remark, &clang_longest);
        (is_next ? remark_advise : remark_advise_later)(remark, &intel_longest);
    }
    if (!advice->scalar_count)
        return;
    if (vectorising->carried.kind == carried_NOTHING && stores_data(subject) &&
        vector_advice_options_help(subject)) {
        remark_advise_later(remark, &no_overlap);
        if (!vectorising->doubts.has_many)
            remark_advise_later(remark, &c_simd);
        remark_advise_later(remark, &fortran_simd);
    }
    remark_advise_later(remark, &gcc_why);
    remark_advise_later(remark, &clang_why);
    remark_advise_later(remark, &intel_why);
}

bool vector_advice_options_help(const struct subject *subject)
{
    return !subject->vectorising || subject->vectorising->obstacle ||
           (subject->vectorising->doubts.wraps >= subject->item_count &&
            subject->vectorising->doubts.reloads >= subject->item_count && !has_refused_groups(subject));
}

void vector_advice_promise(const struct vector_advice *advice, struct remark *remark)
{
    if (!advice->computes)
        return;
    remark_say(remark,
               " With %u-bit vectors, the work of an iteration would take %.2f cycles instead of %.2f.",
               advice->bits, advice->cycles, advice->subject->path->cycles);
    if (!isnan(advice->native))
        remark_say(remark, " Compiled for this processor as well (%s), it would take %.2f cycles.",
                   target_native_option(advice->subject), advice->native);
    if (advice->needs_native)
        remark_say(remark, " That needs another target: %s.", target_native_option(advice->subject));
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
