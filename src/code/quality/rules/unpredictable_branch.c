/* Branches inside a loop that depend on the data: the processor guesses their outcome, and the data decides
   how often it is wrong.

   The cycles of a path assume that every branch is predicted. Nothing in the code shows how the data looks,
   so the gain is an upper limit: half of the branches missed, as with random data, against the same work
   without the branch. It is given only where a compiler or a programmer could remove the branch: sides of a
   few instructions, and stores that both sides could do. Other branches on data are hints, and so are those
   that mostly go one way: equality with one of many values, pointers compared with NULL, and numbers that
   are replaced by a limit which they rarely reach (limits.h). A number in memory that a better one replaces
   (shortest ways, knapsacks) is replaced the less often the better it is: a quarter of the branches missed.
   Where a side decides which element is loaded next, the loads of a loop without branches wait for each
   other: that is counted where two arrays are walked through (merging) and where an interval is halved
   (binary search). Trees and lists are left alone.

   Silent: branches that may leave the loop (searches, error checks), a running maximum, which changes less
   and less often, loops with calls or jump tables, where other things take the time, conditions that
   are the same in every iteration.

   The branch is reported on the path through its longer side, so once for most loops. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/forks.h"
#include "code/quality/rules/limits.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/vector/sides.h"
#include "code/quality/without.h"

#include <math.h>
#include <stddef.h>

/* Instructions that select a value or make a mask. */
static const double SELECTING = 2;
/* The part of branches that are missed: with random data, and with numbers that get better and better. */
static const double RANDOM = 0.5, BETTER = 0.25;
/* From a load that decides where the next one is to that one, in two arrays that are walked through: the load from L1, a
   comparison, a step. */
static const double STEPPING = 9;
/* A step of a search, where searches one after the other overlap in part, and what is waited for after a wrong guess,
   before the next one is known to be wrong: an address, a load, a comparison. As measured on Skylake-X. */
static const double HALVING = 6, DECIDING = 10;

enum {
    SHORT = 8,     /* instructions of a side that are worth doing for nothing */
    FEW_FORKS = 3, /* more of them are a parser, or another loop that decides all the time */
    FEW_BLOCKS = 24,
    MOST_STEPS = 12 /* from a branch back to the load it depends on */
};

static const struct remedy gcc_vectors = {
    audience_GCC, "-O3",
    "Compile with -O3: GCC then computes both sides in vectors and selects, without a branch.",
    action_OPTIMISE, NULL};
static const struct remedy mask = {
    audience_C, NULL,
    "Use the condition as a number: sum += y[i] * (x[i] < limit), or y[i] & -(x[i] < limit) for integers. "
    "GCC "
    "makes a branch of a select (c ? y[i] : 0) here, because one side loads y[i].",
    action_BRANCH_FREE, NULL};
static const struct remedy store_always = {
    audience_ANY, NULL,
    "Store in every iteration and move on only if the condition holds: y[k] = x[i]; k += x[i] < limit; the "
    "array needs one more element at its end.",
    action_BRANCH_FREE, NULL};
static const struct remedy store_back = {
    audience_C, NULL,
    "Store in every iteration, the old value where the condition fails: y[i] = c ? x : y[i]. No other thread "
    "may write to the array meanwhile.",
    action_BRANCH_FREE, NULL};
static const struct remedy select_c = {
    audience_C, NULL,
    "Select a value instead of branching: sum += x < limit ? y : 0, with both values in local variables "
    "before. Compilers make a select (csel, cmov) or a mask of it.",
    action_BRANCH_FREE, NULL};
static const struct remedy search = {
    audience_C, NULL,
    "Halve the interval without a branch: while (n > 1) { half = n / 2; base += (base[half - 1] < key) * half; n "
    "-= half; }. The product keeps GCC from making a branch of it.",
    action_BRANCH_FREE, NULL};
static const struct remedy stepping = {
    audience_C, NULL,
    "Use conditions as steps: i += a[i] <= b[j]; j += b[j] <= a[i], with both numbers in local variables "
    "before.",
    action_BRANCH_FREE, NULL};
static const struct remedy select_fortran = {
    audience_FORTRAN, NULL, "Select a value instead of branching: sum = sum + merge(y, 0.0, x < limit).",
    action_BRANCH_FREE, NULL};

/* gfortran 12 with -O2 makes a branch of merge wherever a side computes floating-point numbers. */
static const struct remedy vectors_fortran = {
    audience_FORTRAN, NULL,
    "Compute both sides in every iteration, into variables, select with merge(a, b, x > 0), and compile with -O3 "
    "-fno-trapping-math: with -O2, gfortran makes a branch of merge again.",
    action_BRANCH_FREE, NULL};
static const struct remedy signs_fortran = {
    audience_FORTRAN, NULL,
    "Or use the condition as a number: max(x, 0.0) * a + min(x, 0.0) * b in place of a branch on the sign of x.",
    action_BRANCH_FREE, NULL};

/* How the condition comes about. */
struct test {
    const struct values *values;
    const struct fork *fork;
    unsigned compare; /* the item that compares; the branch itself for cbz and tbz */
    unsigned load;
    bool has_load;
    bool is_streamed; /* an array is walked through, not a list or a tree */
    bool is_running;  /* compares with a value that one of the sides changes */
    bool is_serial;   /* a side decides what is loaded next */
    bool is_halved;   /* and that is in the middle between two places */
    bool is_masked;   /* single bits are looked at */
    unsigned loads;   /* that are compared */
};

/* Whether it loads from an array that the loop walks through. */
static bool is_streamed(const struct subject *subject, unsigned item)
{
    const struct subject_access *access = values_access(subject, item);
    return access && access->loads && !access->is_stack &&
           (access->pattern == access_pattern_STRIDE_ONE ||
            access->pattern == access_pattern_CONSTANT_STRIDE);
}

/* Whether a value moves on the same way in every iteration: in one place that all paths go through, or on each side. */
static bool is_always_stepped(const struct subject *subject, unsigned item)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    unsigned places = 0;
    if (around_is_always_done(subject, subject->items[item].instruction))
        return true;
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            places += model_instruction(model, block->first_instruction + i)->encoding ==
                      subject->items[item].encoding;
    }
    return places > 1;
}

/* Whether it divides by two, by a shift. */
static bool halves(const struct subject_item *row)
{
    bool is_shift = row->row->operation == operation_SHIFT_RIGHT || row->row->class == class_SHIFT;
    for (unsigned i = 0; is_shift && i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_IMMEDIATE)
            return row->operands[i].value == 1;
    return is_shift && row->operand_count == 1; /* sar eax: by one */
}

/* Follows an address: whether a side of the fork changes a register that it is computed from, be it at the end
   of the iteration before. */
static void follow_address(struct test *test, unsigned item, unsigned steps)
{
    const struct subject *subject = test->values->subject;
    const struct subject_item *row = &subject->items[item];
    test->is_streamed |= is_streamed(subject, item);
    test->is_halved |= halves(row);
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        if (!value_is_read(&row->uses[u]))
            continue;
        test->is_serial |= fork_changes(subject, test->fork, row->uses[u].register_);
        struct value_source source = values_source(test->values, item, u);
        bool is_after = source.is_earlier && source.item > test->fork->item;
        if (source.item == VALUE_OUTSIDE)
            continue;
        test->is_serial |= is_after && !is_always_stepped(subject, source.item);
        if (!source.is_earlier || (is_after && source.item != item))
            follow_address(test, source.item, steps - 1);
    }
}

static bool is_data(const struct subject *subject, unsigned item)
{
    const struct subject_access *access = values_access(subject, item);
    return access && access->loads && !access->is_stack && access->pattern != access_pattern_INVARIANT;
}

/* Follows values, along the path, back to loads. */
static void follow(struct test *test, unsigned item, unsigned steps)
{
    const struct subject *subject = test->values->subject;
    const struct subject_item *row = &subject->items[item];
    bool is_load = is_data(subject, item);
    if (is_load) {
        test->loads += !test->has_load || test->load != item;
        test->load = item;
        test->has_load = true;
        test->is_streamed |= is_streamed(subject, item);
    }
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        if (!value_is_read(&row->uses[u]))
            continue;
        struct value_source source = values_source(test->values, item, u);
        bool is_inside = source.item != VALUE_OUTSIDE && !source.is_earlier;
        bool is_after = source.is_earlier && source.item != VALUE_OUTSIDE && source.item > test->fork->item;
        if (row->uses[u].is_address) {
            test->is_serial |= fork_changes(subject, test->fork, row->uses[u].register_);
            if (is_inside || is_after)
                follow_address(test, source.item, steps - 1);
        } else if (is_inside) {
            follow(test, source.item, steps - 1);
        } else {
            test->is_running |= fork_changes(subject, test->fork, row->uses[u].register_);
        }
    }
}

/* test eax, eax: a comparison with 0. */
static bool is_doubled(const struct subject_item *item)
{
    return item->operand_count == 2 && item->operands[0].register_ &&
           item->operands[0].register_ == item->operands[1].register_;
}

/* Whether a comparison is made only if an earlier one went a certain way (ccmp). */
static bool is_conditional(const struct subject *subject, unsigned compare)
{
    const struct subject_item *row = &subject->items[compare];
    for (unsigned u = 0; row->row->flow == flow_NEXT && u < row->use_count; u++)
        if (value_is_read(&row->uses[u]) &&
            model_register(subject->model, row->uses[u].register_)->kind == register_kind_FLAGS)
            return true;
    return false;
}

/* Whether a mask takes the low bytes of a number, and thus all of a shorter one. */
static bool masks_bytes(const struct subject_item *row)
{
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_IMMEDIATE)
            return row->operands[i].value == 0xff || row->operands[i].value == 0xffff;
    return false;
}

/* Whether it looks at single bits: test and tst, tbz. On AArch64 a test of the lowest bit is a tbz, so
   another comparison with 1 is cmn, for equality with -1. */
static bool looks_at_bits(const struct test *test)
{
    const struct subject_item *row = &test->values->subject->items[test->compare];
    bool is_cmn = row->row->isa == isa_AARCH64 && row->operand_count > 1 && row->operands[1].value == 1;
    if (test->compare != test->fork->item)
        return row->row->class == class_COMPARE && !is_cmn && !masks_bytes(row) &&
               !is_conditional(test->values->subject, test->compare) &&
               row->row->operation == operation_NONE && !row->is_fp && !is_doubled(row);
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_IMMEDIATE)
            return row->operands[i].value != 31 && row->operands[i].value != 63; /* else: is it negative? */
    return false;
}

static void find_condition(struct test *test, const struct values *values, const struct fork *fork)
{
    const struct subject *subject = values->subject;
    const struct subject_item *branch = &subject->items[fork->item];
    *test = (struct test){.values = values, .fork = fork, .compare = fork->item};
    for (unsigned u = 0; u < branch->use_count; u++) {
        struct value_source source = values_source(values, fork->item, u);
        bool is_flags =
            model_register(subject->model, branch->uses[u].register_)->kind == register_kind_FLAGS;
        if (value_is_read(&branch->uses[u]) && is_flags && source.item != VALUE_OUTSIDE && !source.is_earlier)
            test->compare = source.item;
    }
    follow(test, test->compare, MOST_STEPS);
    test->is_masked = looks_at_bits(test);
}

/* The constant that a value is compared with; false: not with a constant. */
static bool find_constant(const struct subject *subject, unsigned compare, int64_t *constant)
{
    const struct subject_item *row = &subject->items[compare];
    unsigned registers = 0, places = 0, count = row->operand_count;
    *constant = 0;
    if (count > 2 && is_conditional(subject, compare))
        count = 2; /* after them are the flags that it sets otherwise, and its condition */
    for (unsigned i = 0; i < count; i++) {
        registers += row->operands[i].kind == operand_kind_REGISTER;
        places += row->operands[i].kind == operand_kind_MEMORY;
        if (row->operands[i].kind == operand_kind_IMMEDIATE) {
            *constant = row->row->flow == flow_NEXT ? row->operands[i].value : 0;
            return true;
        }
    }
    return registers + places == 1 || is_doubled(row);
}

static bool is_equality(const struct subject *subject, const struct test *test)
{
    unsigned kind = subject->items[test->fork->item].row->condition;
    return kind == condition_EQUAL || kind == condition_NOT_EQUAL || test->compare == test->fork->item;
}

/* Most comparisons for equality fail: with a constant that is not 0, of two values, of a pointer with NULL.
   A flag, a bit or a small number may be anything. Few numbers reach their limits. */
static bool is_one_sided(struct values *values, const struct test *test)
{
    const struct subject *subject = values->subject;
    const struct subject_item *compare = &subject->items[test->compare];
    int64_t constant;
    if (!is_equality(subject, test))
        return limits_are_put_in(values, test->fork, test->compare);
    if (test->is_masked || compare->is_fp)
        return false;
    bool is_constant = find_constant(subject, test->compare, &constant);
    return !is_constant || constant || subject->items[test->load].row->load_bytes >= 8;
}

/* Whether the loop has loaded from the place before the branch: what is there could be stored again. */
static bool is_loaded_before(const struct subject *subject, const struct fork *fork,
                             const struct operand *place)
{
    for (unsigned i = 0; i < fork->item; i++)
        for (unsigned k = 0; subject->items[i].row->load_bytes && k < subject->items[i].operand_count; k++)
            if (subject->items[i].operands[k].kind == operand_kind_MEMORY &&
                sides_is_same_place(&subject->items[i].operands[k], place))
                return true;
    return false;
}

/* Whether it adds a constant to a register: k++. */
static bool counts_up(const struct model *model, uint32_t encoding, uint32_t full)
{
    enum operation operation = model_encoding(model, encoding)->operation;
    bool reads = false, has_constant = operation == operation_INCREMENT;
    size_t use =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    if (operation != operation_ADD && operation != operation_INCREMENT && operation != operation_ADDRESS)
        return false;
    for (; use < model->register_uses.count; use++) {
        const struct register_use *row = model_register_use(model, (uint32_t)use);
        if (row->encoding != encoding)
            break;
        reads |= value_is_read(row) && model_full_register(model, row->register_) == full;
    }
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++)
        has_constant |= model_operand(model, (uint32_t)at)->kind == operand_kind_IMMEDIATE ||
                        model_operand(model, (uint32_t)at)->kind == operand_kind_ADDRESS;
    return reads && has_constant;
}

/* Whether one side counts up: there k++ is done. */
static bool counts(const struct subject *subject, const struct fork *fork, const struct fork_side *side)
{
    const struct model *model = subject->model;
    for (uint32_t row = 1; row < model->registers.count; row++) {
        if (!side->writers[row] || model_register(model, row)->kind != register_kind_GENERAL ||
            !fork_changes(subject, fork, row))
            continue;
        if (counts_up(model, side->writers[row], row))
            return true;
    }
    return false;
}

/* A store to a place that moves on only if the branch goes this way: y[k++] = x[i]. */
static bool is_compaction(const struct subject *subject, const struct fork *fork,
                          const struct fork_side *side)
{
    const struct fork_side *other = &fork->sides[side == &fork->sides[0]];
    if (side->stores != 1 || other->stores || !side->place)
        return false;
    uint32_t index = side->place->index_register ? side->place->index_register : side->place->base_register;
    return index && fork_changes(subject, fork, index) && counts(subject, fork, side);
}

enum removal { removal_NONE, removal_SELECT, removal_STORE, removal_STORE_BACK };

/* Whether the path stores to an array that it walks through, after the branch. */
static bool is_walked_through(const struct subject *subject, const struct fork *fork)
{
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->item > fork->item && access->stores)
            return !access->is_stack && access->pattern == access_pattern_STRIDE_ONE;
    }
    return false;
}

/* How the branch could be avoided. */
static enum removal find_removal(const struct subject *subject, const struct fork *fork)
{
    const struct fork_side *left = &fork->sides[0], *right = &fork->sides[1];
    if (!left->is_plain || !right->is_plain || left->instructions > SHORT || right->instructions > SHORT ||
        !(left->instructions + right->instructions))
        return removal_NONE;
    if (!left->stores && !right->stores)
        return removal_SELECT;
    if (is_compaction(subject, fork, left) || is_compaction(subject, fork, right))
        return removal_STORE;
    if (left->stores == 1 && right->stores == 1)
        return sides_is_same_place(left->place, right->place) ? removal_SELECT : removal_NONE;
    const struct fork_side *storing = left->stores ? left : right;
    if (storing->stores != 1)
        return removal_NONE;
    if (is_loaded_before(subject, fork, storing->place))
        return removal_SELECT;
    return storing == &fork->sides[fork->taken] && is_walked_through(subject, fork) ? removal_STORE_BACK
                                                                                    : removal_NONE;
}

struct verdict {
    struct fork fork;
    struct test test;
    enum removal removal;
    bool is_likely; /* both ways, and the branch can be removed with profit */
    bool is_better; /* a number in memory is replaced by a better one */
};

/* Whether a comparison reads a place, itself or by a load before it. */
static bool compares_place(const struct test *test, const struct operand *place)
{
    const struct subject *subject = test->values->subject;
    const struct subject_item *compare = &subject->items[test->compare];
    if (sides_is_same_place(subject_item_memory(compare), place))
        return true;
    for (unsigned u = 0; u < compare->use_count; u++) {
        struct value_source source = values_source(test->values, test->compare, u);
        if (value_is_read(&compare->uses[u]) && source.item != VALUE_OUTSIDE && !source.is_earlier &&
            subject->items[source.item].row->load_bytes &&
            sides_is_same_place(subject_item_memory(&subject->items[source.item]), place))
            return true;
    }
    return false;
}

/* Whether what is stored on one side alone replaces the number that was compared, if it is less or more. */
static bool replaces_by_better(const struct test *test)
{
    const struct fork_side *sides = test->fork->sides;
    const struct fork_side *storing = sides[0].stores ? &sides[0] : &sides[1];
    return sides[0].stores + sides[1].stores == 1 && !is_equality(test->values->subject, test) &&
           storing->place && compares_place(test, storing->place);
}

static bool judge(struct values *values, unsigned item, struct verdict *verdict)
{
    const struct subject *subject = values->subject;
    struct fork *fork = &verdict->fork;
    if (!fork_find(subject, item, fork) || fork_is_invariant(values, item))
        return false;
    unsigned longer = fork->sides[1].instructions > fork->sides[0].instructions;
    find_condition(&verdict->test, values, fork);
    if (fork->taken != longer || !verdict->test.has_load || verdict->test.is_running)
        return false;
    verdict->removal = find_removal(subject, fork);
    bool is_search = verdict->test.is_halved && verdict->removal == removal_SELECT;
    /* What is loaded from both is compared, and one of them moves on. */
    bool is_merge = verdict->test.is_streamed && verdict->test.loads > 1 &&
                    (counts(subject, fork, &fork->sides[0]) || counts(subject, fork, &fork->sides[1]));
    verdict->is_better = replaces_by_better(&verdict->test);
    verdict->is_likely = verdict->removal != removal_NONE &&
                         (verdict->test.is_serial ? is_search || is_merge : verdict->test.is_streamed) &&
                         !is_one_sided(values, &verdict->test);
    return true;
}

static void say_comparison(const struct subject *subject, const struct test *test, struct remark *remark)
{
    const struct subject_item *compare = &subject->items[test->compare];
    int64_t constant;
    const char *place = fork_place(subject, test->fork->item);
    if (place)
        remark_say(remark, "At %s the loop", place);
    else
        remark_say(remark, "The loop");
    const char *number = compare->is_fp ? "floating-point number" : "number";
    bool is_constant = find_constant(subject, test->compare, &constant);
    if (test->is_masked)
        remark_say(remark, " branches on single bits of a number that it loads");
    else if (is_constant)
        remark_say(remark, " compares a %s that it loads with %lld, and branches", number,
                   (long long)constant);
    else
        remark_say(remark, " compares a %s that it loads with another, and branches", number);
}

static void say_cost(const struct subject *subject, const struct verdict *verdict, unsigned count,
                     struct remark *remark)
{
    const struct machine_core *core = &subject->machine->core;
    double penalty = core->mispredict, cycles = subject->path->cycles;
    remark_say(remark, ". The cycles of this report take branches as predicted");
    if (!(penalty > 0)) {
        remark_say(remark, "; each wrong guess costs more than ten cycles.");
        return;
    }
    remark_say(remark, "; each wrong guess costs about %.0f cycles.", penalty);
    if (!verdict->is_likely)
        return;
    const struct fork_side *other = &verdict->fork.sides[!verdict->fork.taken];
    double share = verdict->is_better ? BETTER : RANDOM;
    bool is_serial = verdict->test.is_serial, is_search = is_serial && verdict->test.is_halved;
    remark->now = cycles + (is_serial ? 1 : count) * penalty * share + is_search * DECIDING * share;
    remark->cycles = cycles + (core->issue ? (other->instructions + SELECTING) / core->issue : 0);
    if (is_serial)
        remark->cycles = is_search ? HALVING : fmax(remark->cycles, STEPPING);
    remark->is_upper = true;
    remark_say(remark,
               verdict->is_better
                   ? " A better number is found the less often the better it is. If a quarter of the guesses "
                     "is wrong, an iteration takes about %.1f cycles; without the branch about %.1f."
                   : " If the outcome is as good as random, half of the guesses are wrong, and an "
                     "iteration takes about %.1f cycles; without the branch about %.1f.",
               remark->now, remark->cycles);
    if (is_serial)
        remark_say(remark,
                   " Each load waits for the comparison before it then, so this helps while the data is "
                   "in a cache near the core.");
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct values values;
    struct verdict best = {0}, verdict;
    unsigned forks = 0, likely = 0;
    const struct loop *loop = model_loop(subject->model, subject->loop);
    if (!without_matters(subject) || loop->block_count < 3 || loop->block_count > FEW_BLOCKS ||
        !fork_is_simple_loop(subject))
        return false;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (subject->items[i].row->flow != flow_BRANCH || !judge(&values, i, &verdict))
            continue;
        if (!forks || verdict.is_likely > best.is_likely) {
            best = verdict;
            best.test.fork = &best.fork;
        }
        forks++;
        likely += verdict.is_likely;
        remark_point(remark, i);
    }
    if (!forks)
        return false;
    if (!best.is_likely || forks > FEW_FORKS) {
        best.is_likely = false;
        remark->level = advice_level_HINT;
    }
    say_comparison(subject, &best.test, remark);
    if (forks > 1)
        remark_say(remark, "; %u more %s on loaded data", forks - 1,
                   forks == 2 ? "branch depends" : "branches depend");
    say_cost(subject, &best, likely, remark);
    if (best.is_likely && best.removal == removal_SELECT && sides_become_vectors(subject))
        remark_advise(remark, &gcc_vectors);
    if (best.removal == removal_STORE)
        remark_advise(remark, &store_always);
    if (best.removal == removal_STORE_BACK)
        remark_advise(remark, &store_back);
    if (best.removal == removal_SELECT) {
        bool loads = best.fork.sides[0].loads + best.fork.sides[1].loads;
        if (best.is_likely && best.test.is_serial)
            remark_advise(remark, best.test.is_halved ? &search : &stepping);
        else if (loads && subject->compiler->family != compiler_CLANG)
            remark_advise(remark, &mask);
        else
            remark_advise(remark, &select_c);
        if (loads && subject->items[best.test.compare].is_fp && subject->compiler->family == compiler_GCC) {
            remark_advise(remark, &vectors_fortran);
            remark_advise(remark, &signs_fortran);
        } else {
            remark_advise(remark, &select_fortran);
        }
    }
    return true;
}

const struct rule rule_unpredictable_branch = {
    .name = "unpredictable-branch",
    .title = "A branch depends on the data",
    .is_shared = true,
    .meaning =
        "A processor guesses where a branch goes and works on from there. Each wrong guess throws away "
        "the work of more than ten cycles. Patterns and outcomes that are nearly always the same are "
        "guessed well; data without order is not. `assay run --explain` counts the misses.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_CLANG, NULL,
                  "__builtin_unpredictable(condition) asks Clang for a select instead of a branch.",
                  action_BRANCH_FREE, NULL},
                 {audience_ANY, NULL,
                  "Sort or partition the data by the condition before the loop, if it is used several times: "
                  "then the outcomes come in long runs and are guessed well.",
                  action_BRANCH_FREE, NULL}},
    .find = find,
};
