/* Divisions of integers, quotients and remainders alike.

   They take several times longer than other instructions on integers, and how long depends on the width of
   the type and on most cores on the values: the table of forms has the time with small operands, `slow` in
   the machine file that with large ones. The compiler replaces divisions by constants itself (remainders.h has those
   that an iteration waits for), so those that are left divide by variables. If such a variable stays the same in the loop, a product with its inverse
   does the same (libdivide), and the figure is its cost. A remainder of something that goes on step by step
   (k = (k + 1) % n) needs not even that: a comparison, and a selection. Otherwise only a narrower type helps: that is the
   figure where the core divides narrower numbers faster. Rule divider handles floating-point divisions.
   Divisions of the C++ library, as for the bucket of an unordered_map, are nobody's to change. */
#include "model/isa.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/remainders.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include <math.h>
#include <string.h>

enum { MOST_ITEMS = 2048, LONGEST_FORM = 64 };
static const double LEAST_SHARE = 0.5, WORTH_A_WORD = 1.15;
/* A product with an inverse needs a shift and a subtraction beside it, about a cycle. */
static const double ROUNDING = 1;
/* On x86, which divides and gives the remainder in one, that is another product and a subtraction after it. */
static const double REMAINDER = 4;
/* k + 1, its comparison with n, and the selection between it and 0: each waits for the one before, as measured on Skylake-X. */
static const double STEP_CHAIN = 4, STEP_WORK = 0.5;
enum { MOST_STEPS = 4 };

static const struct remedy mask = {audience_ANY, NULL,
                                   "If the divisor is a power of two, compute with that: x & (n - 1) for x % "
                                   "n, x >> k for x / n, of unsigned "
                                   "numbers; choose sizes of tables so that it is one.",
                                   action_DIVIDE_LESS, NULL};
static const struct remedy inverse = {
    audience_ANY, NULL,
    "Multiply by the inverse of the divisor, computed once before the loop (libdivide does that for any "
    "integer), or make the divisor a compile-time constant: then the compiler does it.",
    action_DIVIDE_LESS, NULL};
static const struct remedy subtract = {
    audience_ANY, NULL,
    "A remainder of something that grows step by step needs no division: if (++k == n) k = 0; or subtract n "
    "where it was reached.",
    action_DIVIDE_LESS, NULL};
static const struct remedy narrow = {audience_ANY, NULL,
                                     "Where the numbers fit, use 32-bit types (unsigned int, uint32_t, "
                                     "integer(4)) for dividend and divisor: the "
                                     "divider has less to do.",
                                     action_DIVIDE_LESS, NULL};

struct dividing {
    const struct subject *subject;
    struct values values;
    unsigned count, still, longs;
    double busy; /* cycles of the divider for them; some cores have another one for other numbers */
    double slow; /* cycles of the slowest division with its slowest operands; 0: unknown */
    bool is_chained;
    unsigned stepping; /* remainders of what goes on by steps */
};

static bool is_division(const struct subject_item *item)
{
    return item->row->class == class_DIVIDE && !item->is_fp && !item->row->is_vector && item->operand_count &&
           (item->row->element == element_INT32 || item->row->element == element_INT64);
}

/* Whether the divisor, the last operand, stays the same. */
static bool is_still(struct dividing *dividing, unsigned item)
{
    const struct subject *subject = dividing->subject;
    const struct subject_item *row = &subject->items[item];
    const struct operand *divisor = &row->operands[row->operand_count - 1];
    unsigned from = item;
    if (divisor->kind == operand_kind_REGISTER) {
        struct value_source source = values_of_register(&dividing->values, item, divisor->register_);
        if (source.item == VALUE_OUTSIDE)
            return values_stays(&dividing->values, divisor->register_);
        if (subject->items[source.item].row->class != class_LOAD)
            return false;
        from = source.item;
    } else if (divisor->kind != operand_kind_MEMORY) {
        return false;
    }
    const struct subject_access *access = values_access(subject, from);
    return access && access->loads && access->pattern == access_pattern_INVARIANT;
}

/* Another form, by its text: with `from` replaced by `to` everywhere behind the name. */
static const struct machine_form *form_with(const struct subject *subject, const char *name,
                                            const char *operands, const char *from, const char *to)
{
    char text[LONGEST_FORM] = "";
    size_t used = strlen(name);
    if (used + strlen(operands) + 1 > sizeof text)
        return NULL;
    memcpy(text, name, used);
    for (const char *at = operands; *at && used + strlen(to) + 1 < sizeof text;) {
        bool is_found = *from && !strncmp(at, from, strlen(from));
        const char *piece = is_found ? to : at;
        size_t length = is_found ? strlen(to) : 1;
        memcpy(text + used, piece, length);
        used += length;
        at += is_found ? strlen(from) : 1;
    }
    text[used] = 0;
    return machine_form(subject->machine, text);
}

/* The product that gives the upper half: mul r64 for div r64, umulh x,x,x for udiv x,x,x. */
static const struct machine_form *product_of(const struct subject *subject, const struct subject_item *item)
{
    const char *form = model_text(subject->model, item->row->form), *operands = strchr(form, ' ');
    if (!operands)
        return NULL;
    if (isa_facts((enum isa)item->row->isa)->is_x86)
        return form_with(subject, *form == 'i' ? "imul" : "mul", operands, "", "");
    return machine_form(subject->machine,
                        item->row->element == element_INT64 ? "umulh x,x,x" : "umull x,w,w");
}

static const struct machine_form *narrow_of(const struct subject *subject, const struct subject_item *item)
{
    char name[LONGEST_FORM];
    const char *form = model_text(subject->model, item->row->form), *operands = strchr(form, ' ');
    if (!operands || (size_t)(operands - form) >= sizeof name)
        return NULL;
    memcpy(name, form, (size_t)(operands - form));
    name[operands - form] = 0;
    return isa_facts((enum isa)item->row->isa)->is_x86 ? form_with(subject, name, operands, "64", "32")
                                                       : form_with(subject, name, operands, "x", "w");
}

/* Whether an item reads a register of general numbers that is neither its flags nor an address. */
static bool is_number(const struct subject *subject, const struct register_use *use)
{
    return value_is_read(use) && !use->is_address &&
           model_register(subject->model, use->register_)->kind == register_kind_GENERAL;
}

/* Whether a value goes on by steps from iteration to iteration: a counter, or the remainder itself, to which
   something that stays the same is added. */
static bool goes_by_steps(struct dividing *dividing, unsigned item, const struct register_use *use,
                          unsigned division, unsigned steps)
{
    const struct subject *subject = dividing->subject;
    struct value_source source = values_of_register(&dividing->values, item, use->register_);
    if (source.item == division || values_counts(subject, use->register_))
        return true;
    if (source.item == VALUE_OUTSIDE || !steps)
        return false;
    const struct subject_item *from = &subject->items[source.item];
    enum operation operation = from->row->operation;
    if (from->row->load_bytes ||
        (operation != operation_COPY && operation != operation_ADD && operation != operation_ADDRESS &&
         operation != operation_EXTEND && operation != operation_INCREMENT))
        return false;
    bool goes = false;
    for (unsigned u = 0; u < from->use_count; u++) {
        if (!value_is_read(&from->uses[u]) || values_stays(&dividing->values, from->uses[u].register_))
            continue;
        if (!goes_by_steps(dividing, source.item, &from->uses[u], division, steps - 1))
            return false;
        goes = true;
    }
    return goes;
}

/* Whether a division is there for the remainder alone, of something that goes on by steps: on x86 the second
   register that it writes is read, and the first is not; elsewhere a remainder is a product and a difference. */
static bool is_stepping(struct dividing *dividing, unsigned item)
{
    const struct subject *subject = dividing->subject;
    const struct subject_item *row = &subject->items[item];
    bool has_quotient = false, has_remainder = false;
    if (!isa_facts((enum isa)row->row->isa)->is_x86 || !is_still(dividing, item))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            const struct register_use *use = &subject->items[i].uses[u];
            if (!value_is_read(use) || values_source(&dividing->values, i, u).item != item)
                continue;
            uint32_t full = model_full_register(subject->model, use->register_);
            const char *name = model_text(subject->model, model_register(subject->model, full)->name);
            *(strcmp(name, "rdx") ? &has_quotient : &has_remainder) = true;
        }
    if (has_quotient || !has_remainder)
        return false;
    for (unsigned u = 0; u < row->use_count; u++) {
        const struct register_use *use = &row->uses[u];
        uint32_t full = model_full_register(subject->model, use->register_);
        if (is_number(subject, use) &&
            !strcmp(model_text(subject->model, model_register(subject->model, full)->name), "rax"))
            return goes_by_steps(dividing, item, use, item, MOST_STEPS);
    }
    return false;
}

static void look(struct dividing *dividing, struct remark *remark)
{
    const struct subject *subject = dividing->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!is_division(item) || around_is_of_library(subject->model, item->instruction))
            continue;
        double slow = machine_slow_form(subject->machine, model_text(subject->model, item->row->form));
        const struct machine_cost *cost = ((const struct cost_item *)subject->work->items.data)[i].cost;
        dividing->count++;
        dividing->busy += cost->divider > 0 ? fmax(cost->divider, cost->throughput) : 0;
        dividing->still += is_still(dividing, i);
        dividing->stepping += is_stepping(dividing, i);
        dividing->longs += item->row->element == element_INT64;
        dividing->slow = fmax(dividing->slow, slow);
        dividing->is_chained |= subject_is_marked(subject, core_part_LATENCY, i);
        remark_point(remark, i);
    }
}

/* Cycles with another form for the divisions: products for those by an invariant, or narrower ones; NaN if
   unknown. */
static double cycles_with(struct dividing *dividing, bool are_products)
{
    const struct subject *subject = dividing->subject;
    struct without without;
    double more = 0;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (!is_division(item) ||
            (are_products ? !is_still(dividing, i) : item->row->element != element_INT64))
            continue;
        const struct machine_form *form = are_products ? product_of(subject, item) : narrow_of(subject, item);
        if (!form)
            return NAN;
        bool is_x86 = isa_facts((enum isa)item->row->isa)->is_x86;
        if (are_products)
            more += ROUNDING + (is_x86 && dividing->is_chained ? REMAINDER : 0);
        without_form(&without, i, form);
    }
    return more + without_cycles(&without);
}

/* Cycles with a comparison and a selection in place of each remainder. */
static double cycles_by_steps(struct dividing *dividing)
{
    const struct subject *subject = dividing->subject;
    struct without without;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_division(&subject->items[i]))
            without_item(&without, i);
    return fmax(STEP_CHAIN, STEP_WORK * dividing->count + without_cycles(&without));
}

static void say(const struct dividing *dividing, struct remark *remark)
{
    const struct subject *subject = dividing->subject;
    char count[64];
    const char *width = dividing->longs == dividing->count ? " of 64-bit integers"
                        : !dividing->longs                 ? " of 32-bit integers"
                                                           : " of integers";
    remark_count(count, sizeof count, dividing->count, "division", "divisions");
    remark_say(remark, "%s%s per iteration take%s much of its %.2f cycles", count, width,
               dividing->count == 1 ? "s" : "", subject->path->cycles);
    if (dividing->slow > 0)
        remark_say(remark, ", which hold for small numbers; with large ones a division takes up to %.0f",
                   dividing->slow);
    remark_say(remark, ".");
    if (dividing->still == dividing->count)
        remark_say(remark, " The divisor is loop-invariant.");
    else if (dividing->still)
        remark_say(remark, " %u of them %s a loop-invariant divisor.", dividing->still,
                   dividing->still == 1 ? "has" : "have");
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct dividing dividing = {.subject = subject};
    if (!without_matters(subject) || subject->item_count > MOST_ITEMS)
        return false;
    values_find(&dividing.values, subject);
    look(&dividing, remark);
    double cycles = subject->path->cycles, least = LEAST_SHARE * cycles;
    if (!dividing.count)
        return remainders_find(subject, remark);
    bool waits = dividing.is_chained && subject_bound(subject, core_part_LATENCY) >= least;
    if (dividing.busy < least && dividing.slow * dividing.count < least && !waits)
        return false;
    bool steps = dividing.stepping == dividing.count;
    double product = steps ? cycles_by_steps(&dividing) : dividing.still ? cycles_with(&dividing, true) : NAN;
    double narrower = dividing.longs ? cycles_with(&dividing, false) : NAN;
    bool has_product = cycles >= WORTH_A_WORD * product, has_narrower = cycles >= WORTH_A_WORD * narrower;
    /* Where the table has the time of small operands, narrower numbers help the others. */
    bool may_be_slow = dividing.longs && dividing.slow > 0;
    if (has_product || has_narrower)
        remark->cycles = has_product && !(has_narrower && narrower < product) ? product : narrower;
    else if (!may_be_slow)
        return false;
    remark->is_upper = !has_product || remark->cycles < product;
    remark->level = has_product || has_narrower ? advice_level_POTENTIAL : advice_level_HINT;
    say(&dividing, remark);
    /* The inverse takes a division, too, each time the loop is entered. */
    if (has_product)
        iterations_limit(subject, remark);
    if (dividing.still) {
        if (steps)
            remark_advise(remark, &subtract);
        remark_advise(remark, &mask);
        remark_advise(remark, &inverse);
        if (!steps)
            remark_advise(remark, &subtract);
    }
    if (dividing.longs)
        remark_advise(remark, &narrow);
    return true;
}

const struct rule rule_integer_division = {
    .name = "integer-division",
    .title = "Integer divisions take much of the time",
    .meaning =
        "A division of integers, also for a remainder (%), takes several times longer than a "
        "multiplication, and on most processors longer the larger the numbers are. Processors before Ice "
        "Lake (Intel) and Zen 2 (AMD) divide 64-bit numbers two to four times slower than 32-bit ones.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_ANY, NULL,
          "Divide less: compute quotient and remainder of the same numbers together, once for all that "
          "needs them, and compare products instead of quotients.",
          action_DIVIDE_LESS, NULL},
         {0}},
    .find = find,
};
