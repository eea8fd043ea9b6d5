/* Atomic operations and fences in every iteration.

   An atomic update of one variable in every iteration, whose old value nobody reads, is a sum or a counter:
   it can be collected in a local variable. That is the advice at level potential, in loops without other
   calls. Updates of different variables, and reference counts, are hints. Loops that wait for an atomic
   operation, or take their work from one (the result decides whether the loop goes on), exist for it and are
   not reported. A loop of ldxr and stxr, which repeats until the store succeeds, is an atomic operation of
   the loop around it.

   GCC calls functions such as __aarch64_ldadd4_acq_rel on AArch64, unless it may use the instructions of
   Armv8.1: these calls count as atomic operations. */
#include "code/quality/rules/call_values.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/forks.h"
#include "code/quality/rules/retries.h"
#include "code/quality/rules/rule.h"

#include <string.h>

static const struct remedy locally = {
    audience_ANY, NULL,
    "Collect the result in a local variable, and update the shared one once after the loop.",
    action_FEWER_ATOMICS, NULL};
static const struct remedy by_thread = {
    audience_ANY, NULL, "Give each thread variables or an array of its own, and combine them at the end.",
    action_FEWER_ATOMICS, NULL};
static const struct remedy references = {audience_C, NULL,
                                         "If these are reference counts (shared_ptr): pass the pointer by "
                                         "const reference, or use the plain pointer "
                                         "inside the loop.",
                                         action_FEWER_ATOMICS, NULL};
static const struct remedy no_fence = {audience_C, NULL,
                                       "If the order of other accesses does not matter in each iteration, "
                                       "use memory_order_relaxed, and one fence "
                                       "after the loop.",
                                       action_FEWER_ATOMICS, NULL};

enum { MOST_STEPS = 4 };

struct atomics {
    struct values values;
    struct call_registers registers;
    unsigned operations, fences, outlined, other_calls;
    bool is_same; /* all of them update one place that does not move */
    bool is_read; /* the loop uses an old value */
};

static bool is_outlined(const struct subject *subject, unsigned item)
{
    static const char *const sorts[] = {"cas", "swp", "ldadd", "ldclr", "ldeor", "ldset"};
    static const char prefix[] = "__aarch64_";
    struct callee callee;
    if (subject->items[item].row->flow != flow_CALL ||
        !callee_find(subject, subject->items[item].instruction, &callee) || !callee.name ||
        strncmp(callee.name, prefix, sizeof prefix - 1))
        return false;
    for (unsigned i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (!strncmp(callee.name + sizeof prefix - 1, sorts[i], strlen(sorts[i])))
            return true;
    return false;
}

static bool is_atomic(const struct subject *subject, unsigned item)
{
    return subject->items[item].row->class == class_ATOMIC || is_outlined(subject, item);
}

/* Whether the value of an item comes from an atomic instruction. */
static bool comes_from_atomic(const struct values *values, unsigned item, unsigned steps)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        struct value_source source = values_source(values, item, u);
        if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE)
            continue;
        if (subject->items[source.item].row->class == class_ATOMIC ||
            comes_from_atomic(values, source.item, steps - 1))
            return true;
    }
    return false;
}

/* Whether a branch leads on within the iteration: it neither leaves the loop nor starts it again. */
static bool is_inside(const struct subject *subject, unsigned item)
{
    struct fork fork;
    uint32_t header = model_loop(subject->model, subject->loop)->header;
    return fork_find(subject, item, &fork) && fork.sides[0].first != header && fork.sides[1].first != header;
}

/* Whether a branch that ends the iteration or the loop depends on an atomic operation. */
static bool decides_end(const struct atomics *atomics)
{
    const struct subject *subject = atomics->values.subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (subject->items[i].row->flow == flow_BRANCH && !is_inside(subject, i) &&
            comes_from_atomic(&atomics->values, i, MOST_STEPS))
            return true;
        uint32_t reader = is_outlined(subject, i) ? call_result_reader(subject, i, atomics->registers.result)
                                                  : (uint32_t)VALUE_OUTSIDE;
        if (reader != VALUE_OUTSIDE && (subject->items[reader].row->class == class_COMPARE ||
                                        subject->items[reader].row->flow == flow_BRANCH))
            return true;
    }
    return false;
}

static bool is_read(const struct atomics *atomics, unsigned item)
{
    const struct subject *subject = atomics->values.subject;
    if (is_outlined(subject, item))
        return call_result_reader(subject, item, atomics->registers.result) != VALUE_OUTSIDE;
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++)
            if (i != item && value_is_read(&subject->items[i].uses[u]) &&
                values_source(&atomics->values, i, u).item == item)
                return true;
    return false;
}

/* Whether it updates the same place in every iteration. The address is the second argument of the outlined
   functions (the third of a comparison and exchange, which is never a sum). */
static bool is_same(struct atomics *atomics, unsigned item)
{
    const struct subject *subject = atomics->values.subject;
    if (!is_outlined(subject, item)) {
        const struct subject_access *access = values_access(subject, item);
        return access && access->pattern == access_pattern_INVARIANT && !access->is_stack;
    }
    uint32_t writer = call_argument_writer(subject, item, atomics->registers.arguments[1]);
    if (writer == VALUE_OUTSIDE || values_access(subject, writer))
        return false;
    for (unsigned u = 0; u < subject->items[writer].use_count; u++)
        if (value_is_read(&subject->items[writer].uses[u]) &&
            !values_stays(&atomics->values, subject->items[writer].uses[u].register_))
            return false;
    return true;
}

static void look(struct atomics *atomics, struct remark *remark)
{
    const struct subject *subject = atomics->values.subject;
    atomics->is_same = true;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct encoding *row = subject->items[i].row;
        bool is_one = is_atomic(subject, i);
        const struct subject_access *access = is_one ? values_access(subject, i) : NULL;
        bool is_fence = row->class == class_FENCE || (access && access->is_stack);
        atomics->other_calls += row->flow == flow_CALL && !is_one;
        if (!is_one && !is_fence)
            continue;
        remark_point(remark, i);
        atomics->fences += is_fence;
        if (is_fence)
            continue;
        atomics->operations++;
        atomics->outlined += row->flow == flow_CALL;
        atomics->is_same &= is_same(atomics, i);
        atomics->is_read |= is_read(atomics, i);
    }
}

static bool has_candidates(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_FENCE || is_atomic(subject, i))
            return true;
    return false;
}

static void say(const struct atomics *atomics, struct remark *remark)
{
    char buffer[48];
    if (atomics->operations) {
        remark_say(remark, "%s in each iteration",
                   remark_count(buffer, sizeof buffer, atomics->operations, "atomic operation",
                                "atomic operations"));
        remark_say(remark, atomics->is_same ? ", always on the same variable" : "");
        remark_say(remark, ". Each takes ten to twenty cycles even if no other thread uses the variable, and "
                           "hundreds if others do.");
    } else {
        remark_say(remark,
                   "%s in each iteration: the processor waits until all earlier stores can be seen by "
                   "other threads.",
                   remark_count(buffer, sizeof buffer, atomics->fences, "memory fence", "memory fences"));
    }
}

static bool tell_retry(const struct subject *subject, struct remark *remark)
{
    bool is_same = retry_is_same(subject);
    if (!is_same || retry_calls(subject))
        remark->level = advice_level_HINT;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_ATOMIC)
            remark_point(remark, i);
    remark_say(remark,
               "This is one atomic update, repeated until its store succeeds, and the loop around it makes "
               "one in each iteration%s. Each takes ten to twenty cycles even if no other thread uses the "
               "variable, and hundreds if others do. Newer instructions (-march=armv8.1-a) help only then.",
               is_same ? ", always of the same variable" : "");
    remark_advise(remark, is_same ? &locally : &by_thread);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct atomics atomics = {0};
    if (subject_is_aside(subject) || !has_candidates(subject))
        return false;
    if (retry_is_update(subject))
        return tell_retry(subject, remark);
    values_find(&atomics.values, subject);
    call_registers_find(subject, &atomics.registers);
    if (decides_end(&atomics))
        return false;
    look(&atomics, remark);
    bool is_sum = atomics.operations && atomics.is_same && !atomics.is_read;
    if (!is_sum || atomics.other_calls || atomics.fences)
        remark->level = advice_level_HINT;
    say(&atomics, remark);
    if (is_sum)
        remark_advise(remark, &locally);
    else if (atomics.operations > 1)
        remark_advise(remark, &references);
    if (atomics.operations && !is_sum)
        remark_advise(remark, &by_thread);
    if (!atomics.operations)
        remark_advise(remark, &no_fence);
    return true;
}

const struct rule rule_atomics = {
    .name = "atomics",
    .title = "Atomic operations in the loop",
    .meaning =
        "An atomic update waits for the accesses before it and holds up those after it; the cache line "
        "must belong to this core alone. Threads that update one variable wait for each other, so more "
        "threads make such a loop slower.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
