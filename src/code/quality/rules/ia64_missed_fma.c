/* A floating-point multiplication whose only reader is an addition. */
#include "code/quality/rules/ia64.h"

#include <stddef.h>

static bool is_number(const struct subject_item *item)
{
    unsigned element = item->row->element;
    return element == element_FP32 || element == element_FP64 || element == element_X87;
}

static bool is_product(const struct subject_item *item)
{
    return item->row->class == class_MULTIPLY && is_number(item) && !item->row->is_vector;
}

static bool is_sum(const struct subject_item *item)
{
    return (item->row->operation == operation_ADD_FLOATS ||
            item->row->operation == operation_SUBTRACT_FLOATS) &&
           is_number(item) && !item->row->is_vector;
}

/* The addition of a product to itself is not a multiply-add. */
static bool has_other_input(const struct subject *subject, unsigned item, uint32_t product)
{
    for (unsigned u = 0; u < subject->items[item].use_count; u++) {
        const struct register_use *use = &subject->items[item].uses[u];
        const struct register_ *row = model_register(subject->model, use->register_);
        if (use->access != access_WRITE && row->kind == register_kind_VECTOR && row->full != product)
            return true;
    }
    return false;
}

static bool is_only_read_here(const struct ia64_read *reads, unsigned count, const struct ia64_read *read)
{
    for (unsigned i = 0; i < count; i++)
        if (reads[i].definition == read->definition && reads[i].use != read->use)
            return false;
    return true;
}

static bool are_fusible(const struct subject *subject, const struct ia64_read *read)
{
    if (read->use == IA64_OUTSIDE || !read->is_sole)
        return false;
    const struct subject_item *product = &subject->items[read->definition], *sum = &subject->items[read->use];
    return is_product(product) && is_sum(sum) && product->row->element == sum->row->element &&
           model_instruction(subject->model, product->instruction)->block ==
               model_instruction(subject->model, sum->instruction)->block &&
           has_other_input(subject, read->use, read->register_);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned count, pairs = 0;
    char buffer[64];
    if (!ia64_matters(subject) || !subject->metric->multiply_count)
        return false;
    const struct ia64_read *reads = ia64_reads(subject, &count);
    uint8_t *changes = ia64_changes(subject), *is_taken = ia64_changes(subject);
    for (unsigned i = 0; i < count; i++) {
        const struct ia64_read *read = &reads[i];
        if (!are_fusible(subject, read) || is_taken[read->use] || !is_only_read_here(reads, count, read))
            continue;
        is_taken[read->use] = 1;
        changes[read->definition] = anew_PASSES;
        remark_point(remark, read->definition);
        remark_point(remark, read->use);
        pairs++;
    }
    if (!pairs)
        return false;
    remark_say(remark,
               "%s per iteration %s read by one addition or subtraction alone: two instructions of 4 cycles "
               "each, one after the other, where one fused multiply-add (fma, fms, fnma) would do.",
               remark_count(buffer, sizeof buffer, pairs, "product", "products"), pairs == 1 ? "is" : "are");
    ia64_gains(subject, changes, remark);
    return true;
}

const struct rule rule_ia64_missed_fma = {
    .name = "ia64-missed-fma",
    .title = "Itanium: multiplications and additions are not fused",
    .meaning =
        "Itanium computes every product and every sum with its fused multiply-add. Two separate "
        "instructions take two of the two F slots of a cycle, and twice the latency. The fused result is "
        "rounded once instead of twice, so the last digits may differ.",
    .level = advice_level_GAIN,
    .remedies =
        {{audience_GCC, "-ffp-contract=fast",
          "Add -ffp-contract=fast, and use -std=gnu17 instead of a strict -std=c17; GCC before 4.6: remove "
          "-mno-fused-madd.",
          action_CONTRACT},
         {audience_INTEL, NULL, "Remove -IPF-fma- and -mp, with which the compiler does not fuse.",
          action_CONTRACT},
         {audience_C, NULL,
          "Write the product and the sum in one expression (or #pragma STDC FP_CONTRACT ON), or call fma(a, "
          "b, c).",
          action_CONTRACT},
         {0}},
    .find = find,
};
