/* Products that are added to something directly, with two instructions instead of one multiply-add.

   A product counts if its only reader on the path is one addition or subtraction of the same kind of number,
   in the same block. If two products are added to each other, one is fused: which one is up to the compiler
   (GCC takes the one that is written first), and of a chain it may be the one beside it. So the promise is
   that of the choice which brings less. The machine file has the cost of the fused instruction; on some cores a sum waits longer for a multiply-add than for an addition, and then
   there is nothing to gain. */
#include "code/quality/metrics/metrics.h"
#include "model/isa.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/rules/vector_advice.h"
#include "code/quality/without.h"

#include <math.h>

/* From this gain on it nearly always pays; below, it only saves a few of many instructions, which is a hint:
   of four such promises three brought nothing. */
static const double NEARLY_ALWAYS = 1.2;

/* Multiply-adds on registers, by the numbers of the addition that they replace: its vector, 0 for scalars.
   slot: operand that the product is added to. */
static const struct {
    enum isa isa;
    enum element element;
    uint16_t bits;
    bool is_scalable;
    const char *form;
    unsigned slot;
} forms[] = {
    {isa_X86_64, element_FP32, 0, false, "vfmadd231ss xmm,xmm,xmm", 1},
    {isa_X86_64, element_FP64, 0, false, "vfmadd231sd xmm,xmm,xmm", 1},
    {isa_X86_64, element_FP32, 128, false, "vfmadd231ps xmm,xmm,xmm", 1},
    {isa_X86_64, element_FP64, 128, false, "vfmadd231pd xmm,xmm,xmm", 1},
    {isa_X86_64, element_FP32, 256, false, "vfmadd231ps ymm,ymm,ymm", 1},
    {isa_X86_64, element_FP64, 256, false, "vfmadd231pd ymm,ymm,ymm", 1},
    {isa_X86_64, element_FP32, 512, false, "vfmadd231ps zmm,zmm,zmm", 1},
    {isa_X86_64, element_FP64, 512, false, "vfmadd231pd zmm,zmm,zmm", 1},
    {isa_AARCH64, element_FP16, 0, false, "fmadd h,h,h,h", 4},
    {isa_AARCH64, element_FP32, 0, false, "fmadd s,s,s,s", 4},
    {isa_AARCH64, element_FP64, 0, false, "fmadd d,d,d,d", 4},
    {isa_AARCH64, element_FP16, 64, false, "fmla 4h,4h,4h", 1},
    {isa_AARCH64, element_FP16, 128, false, "fmla 8h,8h,8h", 1},
    {isa_AARCH64, element_FP32, 64, false, "fmla 2s,2s,2s", 1},
    {isa_AARCH64, element_FP32, 128, false, "fmla 4s,4s,4s", 1},
    {isa_AARCH64, element_FP64, 128, false, "fmla 2d,2d,2d", 1},
    {isa_AARCH64, element_FP16, 128, true, "fmla z.h,p/m,z.h,z.h", 1},
    {isa_AARCH64, element_FP32, 128, true, "fmla z.s,p/m,z.s,z.s", 1},
    {isa_AARCH64, element_FP64, 128, true, "fmla z.d,p/m,z.d,z.d", 1},
};

static const struct remedy target_gcc = {
    audience_GCC, "-mfma",
    "Compile for processors with FMA: -march=native on the machine that will run the program, "
    "-march=x86-64-v3 for all of the last ten years, or -mfma alone.",
    action_TARGET};
static const struct remedy target_clang = {
    audience_CLANG, "-mfma",
    "Compile for processors with FMA, -march=native or -march=x86-64-v3, and allow fusing with "
    "-ffp-contract=fast (not the default before Clang 14).",
    action_TARGET};
static const struct remedy target_intel = {
    audience_INTEL, NULL, "Compile for processors with FMA: -xHost or -xCORE-AVX2, without -no-fma.",
    action_TARGET};
static const struct remedy strict = {audience_GCC, NULL,
                                     "Use -std=gnu17 (gnu11, gnu++17 …) instead of -std=c17, or add "
                                     "-ffp-contract=fast: GCC does not fuse in strict standard modes.",
                                     action_CONTRACT};
static const struct remedy contract_gcc = {
    audience_GCC, "-ffp-contract=fast", "Remove -ffp-contract=off (and -mno-fma), or add -ffp-contract=fast.",
    action_CONTRACT};
static const struct remedy contract_clang = {audience_CLANG, "-ffp-contract=fast",
                                             "Add -ffp-contract=fast: without it Clang does not fuse (before "
                                             "version 14), or only within one expression.",
                                             action_CONTRACT};
static const struct remedy contract_intel = {
    audience_INTEL, "-fma", "Add -fma, and remove -no-fma and -fp-model strict.", action_CONTRACT};

struct pairs {
    struct values values;
    uint32_t *reader;  /* by item: the one that reads its result, + 1; 0: none */
    uint8_t *is_other; /* by item: it is read again, or in the next iteration */
    unsigned count;
};

/* Not negation, absolute value, horizontal and alternating sums. */
static bool is_addition(const struct subject_item *item)
{
    return item->row->operation == operation_ADD_FLOATS || item->row->operation == operation_SUBTRACT_FLOATS;
}

static bool is_product(const struct subject_item *item)
{
    unsigned element = item->row->element;
    return item->row->class == class_MULTIPLY && !item->row->is_masked &&
           (element == element_FP16 || element == element_FP32 || element == element_FP64);
}

static const struct machine_form *fused_form(const struct subject *subject, const struct subject_item *sum,
                                             unsigned *slot)
{
    const struct encoding *row = sum->row;
    unsigned isa = isa_facts((enum isa)row->isa)->machine;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].isa != isa || forms[i].element != row->element ||
            forms[i].bits != (row->is_vector ? row->vector_bits : 0) ||
            forms[i].is_scalable != row->is_scalable)
            continue;
        *slot = forms[i].slot;
        return machine_form(subject->machine, forms[i].form);
    }
    return NULL;
}

static void find_readers(struct pairs *pairs, const struct subject *subject)
{
    values_find(&pairs->values, subject);
    pairs->reader = arena_get(subject->arena, (subject->item_count + 1) * sizeof *pairs->reader);
    pairs->is_other = arena_get(subject->arena, subject->item_count + 1);
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            struct value_source source = values_source(&pairs->values, i, u);
            if (source.item == VALUE_OUTSIDE || !is_product(&subject->items[source.item]))
                continue;
            uint32_t *reader = &pairs->reader[source.item];
            pairs->is_other[source.item] |= source.is_earlier || (*reader && *reader != i + 1);
            *reader = i + 1;
        }
}

static bool are_alike(const struct encoding *one, const struct encoding *other)
{
    return one->element == other->element && one->is_vector == other->is_vector &&
           one->vector_bits == other->vector_bits && one->is_scalable == other->is_scalable;
}

/* Compilers fuse only within straight-line code: beyond a branch a product may be needed for more than the
   sum of this path, and no option changes that. */
static bool are_together(const struct subject *subject, unsigned product, unsigned sum)
{
    return model_instruction(subject->model, subject->items[product].instruction)->block ==
           model_instruction(subject->model, subject->items[sum].instruction)->block;
}

/* The addition of a product to itself (2 a b) is not a multiply-add. */
static bool adds_to_itself(const struct pairs *pairs, unsigned sum, unsigned product)
{
    const struct subject_item *item = &pairs->values.subject->items[sum];
    unsigned others = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            return false;
        if (operand->kind == operand_kind_REGISTER && operand->access & access_READ &&
            values_of_register(&pairs->values, sum, operand->register_).item != product)
            others++;
    }
    return !others;
}

/* Fuses what can be fused; of two products that are added to each other the last one or the first. Points at
   the places if there is a remark. */
static void fuse(struct pairs *pairs, struct without *without, bool takes_last, struct remark *remark)
{
    const struct subject *subject = without->subject;
    uint8_t *is_taken = arena_get(subject->arena, subject->item_count + 1);
    pairs->count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        unsigned product = takes_last ? subject->item_count - 1 - i : i;
        if (!is_product(&subject->items[product]))
            continue;
        unsigned sum = pairs->reader[product] - 1, slot = 0;
        if (!pairs->reader[product] || pairs->is_other[product] || is_taken[sum] || sum < product)
            continue;
        const struct subject_item *item = &subject->items[sum];
        if (!is_addition(item) || !are_alike(item->row, subject->items[product].row) ||
            !are_together(subject, product, sum) || adds_to_itself(pairs, sum, product))
            continue;
        const struct machine_form *form = fused_form(subject, item, &slot);
        if (!form)
            continue;
        without_pair(without, product, sum, form, slot);
        is_taken[sum] = 1;
        pairs->count++;
        if (!remark)
            continue;
        remark_point(remark, product);
        remark_point(remark, sum);
    }
}

/* Cycles with the choice that brings less; NaN if they are unknown or there is nothing to fuse. */
static double cycles_fused(struct pairs *pairs, const struct subject *subject, struct remark *remark)
{
    struct without first, last;
    without_begin(&last, subject);
    fuse(pairs, &last, true, NULL);
    without_begin(&first, subject);
    fuse(pairs, &first, false, remark);
    return pairs->count ? fmax(without_cycles(&first), without_cycles(&last)) : NAN;
}

static bool has_fused(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_FMA && subject->items[i].is_fp)
            return true;
    return false;
}

/* GCC fuses everything it can or nothing: if it has fused some, the other products have further uses. */
static bool is_all_that_is_fused(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return compiler->family == compiler_GCC && !compiler->is_strict_iso && !compiler->forbids_contraction &&
           has_fused(subject);
}

static void add_remedies(const struct subject *subject, struct remark *remark)
{
    const struct compiler *compiler = subject->compiler;
    bool is_x86 = subject->machine->isa == isa_X86_64;
    if (compiler->is_strict_iso)
        remark_advise(remark, &strict);
    if (is_x86 && !has_fused(subject)) {
        remark_advise(remark, &target_gcc);
        remark_advise(remark, &target_clang);
        remark_advise(remark, &target_intel);
    }
    if (!is_x86 || has_fused(subject) || compiler->forbids_contraction || compiler->forbids_fma) {
        if (!compiler->is_strict_iso)
            remark_advise(remark, &contract_gcc);
        remark_advise(remark, &contract_clang);
        remark_advise(remark, &contract_intel);
    }
}

/* The options are unknown, and other code of the file has what this loop lacks: libraries have versions of
   a function for several processors. */
static bool may_be_older(const struct subject *subject)
{
    return subject->machine->isa == isa_X86_64 && !subject->compiler->flags && !has_fused(subject) &&
           subject->facts->code.has_fused[subject->items[0].row->isa];
}

/* Whether most accesses need a cache line of their own, as those of a loop that jumps from row to row: then it
   waits for memory as soon as the rows do not fit into the L1 cache. */
static bool jumps(const struct subject *subject)
{
    enum { LINE = 64 };
    unsigned far = 0, all = 0;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        int64_t stride = access->stride < 0 ? -access->stride : access->stride;
        if (access->is_stack || access->pattern == access_pattern_INVARIANT)
            continue;
        all++;
        far += access->pattern == access_pattern_CONSTANT_STRIDE && (!stride || stride >= LINE);
    }
    return far * 2 > all;
}

/* The options that enable vectors also enable multiply-adds. */
static enum advice_level level_of(const struct subject *subject, double cycles, bool is_doubtful)
{
    bool is_sure = subject->path->cycles >= NEARLY_ALWAYS * cycles;
    if (!is_sure || vector_advice_covers(subject, cycles))
        return advice_level_HINT;
    return is_doubtful ? advice_level_POTENTIAL : advice_level_GAIN;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct pairs pairs = {0};
    char buffer[64];
    if (!without_matters(subject) || subject->metric->multiply_count == 0 || is_all_that_is_fused(subject))
        return false;
    find_readers(&pairs, subject);
    remark->cycles = cycles_fused(&pairs, subject, remark);
    if (!without_gains(subject, remark->cycles))
        return false;
    bool is_older = may_be_older(subject);
    remark->is_upper = jumps(subject);
    remark->level = level_of(subject, remark->cycles, is_older || remark->is_upper);
    remark_say(remark,
               "%s per iteration %s followed by an addition or subtraction of the product: two instructions "
               "where one fused multiply-add (FMA) would do.",
               remark_count(buffer, sizeof buffer, pairs.count, "multiplication", "multiplications"),
               pairs.count == 1 ? "is" : "are");
    if (remark->is_upper)
        remark_say(remark, " Most of its accesses are a cache line or more apart: this helps only while all "
                           "these lines are in the L1 cache.");
    if (is_older)
        remark_say(remark, " The file has FMA instructions elsewhere: if this is a fallback version for "
                           "older processors, ignore this advice.");
    add_remedies(subject, remark);
    return true;
}

const struct rule rule_missed_fma = {
    .name = "missed-fma",
    .title = "Multiplications and additions are not fused",
    .meaning = "The processor can multiply and add in one instruction (FMA), in the time of one of the two. "
               "Two separate instructions keep the arithmetic units busy for twice as long. The fused result "
               "is rounded once instead of twice, so the last digits may differ.",
    .level = advice_level_GAIN,
    .remedies = {{audience_C, NULL,
                  "Or call fma(a, b, c) of <math.h> explicitly, compiled for a processor with FMA; on others "
                  "this is a slow call.",
                  action_CONTRACT},
                 {0}},
    .find = find,
};
