/* Arithmetic of 128-bit floating-point numbers, which no processor here has: each operation is a call.

   On AArch64 that is long double; on x86-64 it is __float128, and real(16) of Fortran on both. The calls are
   the evidence. Whether fewer digits are enough only the programmer knows, so this is potential, however
   large the gain. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/rule.h"

#include <string.h>

enum { MOST_NAMES = 3 };

static bool find(const struct subject *subject, struct remark *remark)
{
    const char *names[MOST_NAMES];
    unsigned count = 0, name_count = 0;
    char buffer[48];
    if (subject_is_aside(subject) || !subject->metric->call_count)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow != flow_CALL ||
            !callee_find(subject, subject->items[i].instruction, &callee) || callee.sort != callee_QUADRUPLE)
            continue;
        bool is_new = true;
        for (unsigned k = 0; k < name_count; k++)
            is_new &= strcmp(names[k], callee.name) != 0;
        if (is_new && name_count < MOST_NAMES)
            names[name_count++] = callee.name;
        remark_point(remark, i);
        count++;
    }
    if (!count)
        return false;
    remark_say(
        remark, "%s in each iteration",
        remark_count(buffer, sizeof buffer, count, "call for 128-bit numbers", "calls for 128-bit numbers"));
    for (unsigned i = 0; i < name_count; i++)
        remark_say(remark, "%s%s", i ? ", " : ": ", names[i]);
    remark_say(remark,
               ". The processor has no instructions for them: each operation takes tens of cycles instead "
               "of a few, one after the other.");
    return true;
}

const struct rule rule_long_double = {
    .name = "long-double",
    .title = "128-bit floating-point numbers are computed in software",
    .meaning =
        "long double has 128 bits on AArch64, as __float128 and real(16) have everywhere. A function of "
        "the compiler's library computes each sum and each product, so nothing is inlined, pipelined or "
        "vectorised.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Use double, if 53 bits are enough: without the suffix L of constants and the l of functions "
          "(sqrtl), and double variables for sums.",
          action_PRECISION, NULL},
         {audience_FORTRAN, NULL, "Use real(8) instead of real(16), if 53 bits are enough.", action_PRECISION,
          NULL},
         {audience_ANY, NULL,
          "If a sum needs more digits, add the rounding errors up in a second double (Kahan's summation), "
          "which takes a few instructions.",
          action_PRECISION, NULL}},
    .find = find,
};
