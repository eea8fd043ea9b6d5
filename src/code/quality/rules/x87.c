/* x87 arithmetic: one number at a time, through a stack of registers.

   On x86-64 it comes from long double, or from -mfpmath=387; in 32-bit code it is the default of compilers.
   If numbers of 80 bits are loaded, stored or summed up, the precision is most likely intended: then it is a
   hint. If all inputs and outputs are float or double, it is most likely an oversight: a constant with an L,
   sqrtl for sqrt.

   fmod() and remainder() are another matter: GCC puts fprem in the place of their calls (from version 14 on
   without options), in a loop of its own, because one fprem brings the exponents at most 63 nearer to each
   other. */
#include "code/quality/rules/rule.h"

#include <string.h>

enum { EXTENDED_BYTES = 10 };

static const struct remedy for_32_bits[] = {
    {audience_ANY, "-mfpmath=sse",
     "Compile with -msse2 -mfpmath=sse, or as a 64-bit program (-m64), which is faster in many other ways.",
     action_TARGET}};
static const struct remedy for_option[] = {{audience_ANY, NULL, "Remove -mfpmath=387.", action_DROP_OPTION}};

static bool is_x87(const struct subject *subject, const struct subject_item *item)
{
    if (item->row->element == element_X87)
        return true;
    for (unsigned u = 0; u < item->use_count; u++)
        if (model_register(subject->model, item->uses[u].register_)->kind == register_kind_X87)
            return true;
    return false;
}

static bool computes(enum class class)
{
    return class == class_ADD || class == class_MULTIPLY || class == class_DIVIDE || class == class_SQRT ||
           class == class_MATH;
}

static bool takes_remainders(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        const char *name = model_text(subject->model, subject->items[i].row->name);
        if (name && !strncmp(name, "fprem", 5))
            return true;
    }
    return false;
}

static bool takes_no_remainders(const struct subject *subject)
{
    return !takes_remainders(subject);
}

struct found {
    unsigned instructions, arithmetic;
    bool is_extended; /* numbers of 80 bits in memory */
    bool stores;      /* float or double */
};

static struct found look(const struct subject *subject, struct remark *remark)
{
    struct found found = {0};
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!is_x87(subject, item))
            continue;
        found.instructions++;
        found.arithmetic += computes(item->row->class);
        found.is_extended = found.is_extended || item->row->load_bytes == EXTENDED_BYTES ||
                            item->row->store_bytes == EXTENDED_BYTES;
        found.stores = found.stores || (item->row->store_bytes && item->row->store_bytes < EXTENDED_BYTES);
        remark_point(remark, i);
    }
    return found;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    char buffer[64];
    if (!subject->metric->x87_count)
        return false;
    struct found found = look(subject, remark);
    if (!found.arithmetic)
        return false;
    if (takes_remainders(subject)) {
        remark_say(remark,
                   "fprem is the remainder of fmod() or remainder(), computed bit by bit: it is slow, "
                   "and slower for large quotients.");
        return true;
    }
    const char *flags = subject->compiler->flags;
    bool is_32_bits = subject->items[0].row->isa == isa_I386,
         is_asked = flags && strstr(flags, "-mfpmath=387");
    remark_say(remark, "%u of %u instructions are x87, ", found.instructions, subject->item_count);
    remark_say(remark, "%s among them.",
               remark_count(buffer, sizeof buffer, found.arithmetic, "computation", "computations"));
    if (is_asked) {
        remark_advise(remark, for_option);
        remark->level = advice_level_GAIN;
    } else if (found.is_extended || (!found.stores && !is_32_bits)) {
        remark_say(remark, " They work on long double numbers.");
        remark->level = advice_level_HINT;
    } else if (is_32_bits) {
        remark_advise(remark, for_32_bits);
        remark->level = advice_level_GAIN;
    } else {
        remark_say(remark, " They load and store float or double, but compute in long double.");
    }
    return true;
}

const struct rule rule_x87 = {
    .name = "x87",
    .title = "Floating-point arithmetic uses legacy x87 instructions",
    .meaning = "x87 is the original floating-point unit. It is scalar only, cannot be vectorised, and works "
               "on a register stack with extra moves. Compilers use it for long double, for fmod(), and in "
               "32-bit programs also for float and double.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Unless a 64-bit mantissa is needed, use double: no long double, no constants with L (0.5, "
          "not 0.5L), no functions that end in l (sqrt, not sqrtl).",
          action_PRECISION, takes_no_remainders},
         {audience_FORTRAN, NULL, "Unless that precision is needed, use real(8) instead of real(10).",
          action_PRECISION, takes_no_remainders},
         {audience_ANY, NULL,
          "Look for something cheaper than the remainder: if the number exceeds the range by little, "
          "subtract (x >= r ? x - r : x), or take the integer part of the quotient: x - r * trunc(x / "
          "r), whose last digits may differ.",
          action_CHEAPER, takes_remainders}},
    .find = find,
};
