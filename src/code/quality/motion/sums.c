/* Arithmetic of sums.  Terms are kept in order of their symbols, so that adding two sums is a merge, and
   equal sums are equal term by term. */
#include "code/quality/motion/sums.h"

#include "code/quality/motion/linear.h"

uint32_t motion_symbol_add(struct motion_symbols *symbols, enum symbol_kind kind)
{
    struct motion_symbol *symbol = array_add(&symbols->rows);
    symbol->kind = kind;
    return (uint32_t)symbols->rows.count - 1;
}

void motion_symbol_depend(struct motion_symbol *symbol, const struct motion_sum *sum)
{
    for (unsigned i = 0; i < sum->count; i++) {
        unsigned k = 0;
        while (k < symbol->depended_count && symbol->depended[k] != sum->terms[i].symbol)
            k++;
        if (k < symbol->depended_count)
            continue;
        if (symbol->depended_count == MOST_DEPENDED)
            symbol->is_wild = true;
        else
            symbol->depended[symbol->depended_count++] = sum->terms[i].symbol;
    }
}

struct motion_sum motion_sum_of(uint32_t symbol)
{
    return (struct motion_sum){.terms = {{symbol, 1}}, .count = 1};
}

struct motion_sum motion_add(struct motion_symbols *symbols, const struct motion_sum *one,
                             const struct motion_sum *other, int64_t factor)
{
    struct motion_sum sum = {.constant = motion_plus(one->constant, motion_times(other->constant, factor))};
    unsigned i = 0, k = 0;
    while (i < one->count || k < other->count) {
        struct motion_term term;
        if (k == other->count || (i < one->count && one->terms[i].symbol < other->terms[k].symbol)) {
            term = one->terms[i++];
        } else {
            term = (struct motion_term){other->terms[k].symbol, motion_times(other->terms[k].factor, factor)};
            if (i < one->count && one->terms[i].symbol == term.symbol)
                term.factor = motion_plus(term.factor, one->terms[i++].factor);
            k++;
        }
        if (!term.factor)
            continue;
        if (sum.count == MOST_TERMS) {
            uint32_t made = motion_symbol_add(symbols, symbol_MADE);
            motion_symbol_depend(motion_symbol_at(symbols, made), one);
            motion_symbol_depend(motion_symbol_at(symbols, made), other);
            return motion_sum_of(made);
        }
        sum.terms[sum.count++] = term;
    }
    return sum;
}

/* Of a constant and a sum it is a sum, else a new symbol. */
static struct motion_sum motion_multiply(struct motion_symbols *symbols, const struct motion_sum *one,
                                         const struct motion_sum *other)
{
    const struct motion_sum zero = {0};
    if (!one->count)
        return motion_add(symbols, &zero, other, one->constant);
    if (!other->count)
        return motion_add(symbols, &zero, one, other->constant);
    uint32_t product = motion_symbol_add(symbols, symbol_PRODUCT);
    motion_symbol_at(symbols, product)->place = *one;
    motion_symbol_at(symbols, product)->end = *other;
    return motion_sum_of(product);
}

/* For a sum that is not constant, the result is a new symbol that depends on it. */
static struct motion_sum fold(struct motion_symbols *symbols, const struct linear_result *result,
                              const struct motion_sum *sum)
{
    uint64_t value = (uint64_t)sum->constant, with = (uint64_t)result->folded;
    if (sum->count) {
        uint32_t made = motion_symbol_add(symbols, symbol_MADE);
        motion_symbol_depend(motion_symbol_at(symbols, made), sum);
        return motion_sum_of(made);
    }
    value = result->fold == fold_AND ? value & with : result->fold == fold_OR ? value | with : value >> with;
    return (struct motion_sum){.constant = (int64_t)value};
}

struct motion_sum motion_compute(struct motion_symbols *symbols, const struct linear_result *result,
                                 motion_part *value, void *context)
{
    struct motion_sum sum = {.constant = result->constant};
    for (unsigned i = 0; i < result->part_count; i++) {
        int64_t factor = result->parts[i].factor;
        bool is_product = result->parts[i].is_product && i + 1 < result->part_count;
        struct motion_sum part = value(context, i);
        if (is_product) {
            struct motion_sum other = value(context, ++i);
            part = motion_multiply(symbols, &part, &other);
        }
        sum = motion_add(symbols, &sum, &part, factor);
    }
    return result->fold == fold_NONE ? sum : fold(symbols, result, &sum);
}

bool motion_is_apart(const struct motion_sum *one, const struct motion_sum *other)
{
    if (one->count != other->count)
        return false;
    for (unsigned i = 0; i < one->count; i++)
        if (one->terms[i].symbol != other->terms[i].symbol || one->terms[i].factor != other->terms[i].factor)
            return false;
    return true;
}
