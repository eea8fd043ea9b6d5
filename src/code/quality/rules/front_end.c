/* Loops that wait for the front end: because of microcode or badly placed code.

   Microcode: without these instructions the loop would be faster. The replacement is known only for copies
   whose length is a constant of the loop: vectors of 16 bytes. Divisions, gathers and x87 instructions have
   rules of their own.

   Place: the same code is tried at every offset in a cache line; the best place shows what is lost. On
   Skylake and related cores a jump that crosses or ends on a 32-byte boundary keeps code out of the µop cache
   (the JCC erratum). Every fifth loop of a library has such a jump, and the next build moves it: a hint. */
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdio.h>

/* Smaller gains are not worth the effort, because a place can change with every new version. */
static const double WORTH_MOVING = 1.1;
enum { LINE_BYTES = 64, PLAIN_VECTOR = 16 /* bytes that every x86-64 can move at once */ };

static const struct remedy no_size = {
    audience_ANY, "-O2",
    "Compile with -O2 instead of -Os or -Oz, which use string instructions because they are short.",
    action_OPTIMISE};
static const struct remedy strategy = {audience_GCC, NULL,
                                       "-mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign (and "
                                       "-mmemset-strategy) selects how copies are done.",
                                       action_OTHER_OPTION};
static const struct remedy by_hand = {audience_C, NULL, "Copy short structures member by member.",
                                      action_COPY};
static const struct remedy plain = {audience_C, NULL,
                                    "In assembly, use simple instructions, such as dec and jnz instead of "
                                    "loop.",
                                    action_INTRINSICS};
static const struct remedy borders_gcc = {
    audience_GCC, NULL, "-Wa,-mbranches-within-32B-boundaries keeps jumps away from these boundaries.",
    action_ALIGN_CODE};
static const struct remedy borders_clang = {
    audience_CLANG, "-mbranches-within-32B-boundaries",
    "-mbranches-within-32B-boundaries keeps jumps away from these boundaries.", action_ALIGN_CODE};
static const struct remedy align_gcc = {audience_GCC, "-falign-loops=64",
                                        "-falign-loops=64 aligns loops to 64 bytes.", action_ALIGN_CODE};
static const struct remedy align_clang = {audience_CLANG, "-falign-loops=64",
                                          "-falign-loops=64 aligns loops to 64 bytes (from Clang 13 on).",
                                          action_ALIGN_CODE};
static const struct remedy align_intel = {audience_INTEL, "-align-loops=64",
                                          "-align-loops=64 aligns loops to 64 bytes.", action_ALIGN_CODE};

static bool is_fetching(enum core_part part)
{
    return part == core_part_PREDECODE || part == core_part_DECODE || part == core_part_FRONT_END ||
           part == core_part_UOP_CACHE;
}

static bool is_microcoded(const struct subject *subject, unsigned item)
{
    const struct cost_item *costs = subject->work->items.data;
    const struct encoding *row = subject->items[item].row;
    unsigned class = row->class;
    return costs[item].cost->microcoded && class != class_DIVIDE && class != class_SQRT &&
           class != class_GATHER && class != class_SCATTER && class != class_MATH && class != class_CALL &&
           class != class_SYSTEM && class != class_ATOMIC && class != class_FENCE &&
           row->element != element_X87;
}

/* Bytes that a string instruction moves, if the count is a constant of the loop; 0: unknown. */
static uint64_t moved_bytes(const struct values *values, unsigned item)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    enum { MOST_BYTES = 1 << 16 };
    for (unsigned u = 0; u < row->use_count; u++) {
        const char *name =
            model_text(subject->model, model_register(subject->model, row->uses[u].register_)->name);
        if (!name || name[0] != 'r' || name[1] != 'c' || !value_is_read(&row->uses[u]))
            continue;
        struct value_source source = values_source(values, item, u);
        if (source.item == VALUE_OUTSIDE || subject->items[source.item].row->class != class_MOVE)
            return 0;
        const struct subject_item *move = &subject->items[source.item];
        for (unsigned i = 0; i < move->operand_count; i++)
            if (move->operands[i].kind == operand_kind_IMMEDIATE && move->operands[i].value > 0 &&
                move->operands[i].value < MOST_BYTES)
                return (uint64_t)move->operands[i].value * row->row->store_bytes;
    }
    return 0;
}

static bool find_microcode(const struct subject *subject, struct remark *remark)
{
    struct values values;
    struct without without;
    unsigned strings = 0, count = 0;
    double more = 0;
    values_find(&values, subject);
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (!is_microcoded(subject, i))
            continue;
        remark_point(remark, i);
        without_item(&without, i);
        count++;
        if (subject->items[i].row->class == class_STRING) {
            uint64_t bytes = moved_bytes(&values, i);
            strings++;
            more += bytes && subject->machine->stores > 0
                        ? (double)((bytes + PLAIN_VECTOR - 1) / PLAIN_VECTOR) / subject->machine->stores
                        : NAN;
        } else if (subject->items[i].row->flow == flow_BRANCH && subject->machine->taken > 0) {
            more += 1 / subject->machine->taken;
        }
    }
    double cycles = count ? without_cycles(&without) : NAN;
    if (!without_gains(subject, isnan(more) ? cycles : cycles + more))
        return false;
    remark->cycles = cycles + more;
    remark_say(remark, "%u instruction%s per iteration %s microcoded", count, count == 1 ? "" : "s",
               count == 1 ? "is" : "are");
    remark_say(remark, strings ? " (string instructions such as rep movs, which copy or fill memory); the "
                                 "microcode sequencer (MS) stalls all others."
                               : "; the microcode sequencer (MS) stalls all others.");
    if (strings) {
        remark_advise(remark, subject->compiler->optimises_size ? &no_size : &strategy);
        remark_advise(remark, &by_hand);
    } else {
        remark_advise(remark, &plain);
    }
    return true;
}

/* Whether a jump of the path crosses or ends on a boundary. */
static bool meets_border(const struct subject *subject, struct remark *remark)
{
    const struct cost_item *items = subject->work->items.data;
    unsigned bytes = subject->machine->core.cache_block;
    bool meets = false;
    for (unsigned i = 0; bytes && i < subject->item_count; i++) {
        uint64_t first = items[i].address;
        if (i && items[i].is_absorbed)
            first = items[i - 1].address;
        if (!items[i].cost->is_branch || first / bytes == (items[i].address + items[i].cost->size) / bytes)
            continue;
        remark_point(remark, i);
        meets = true;
    }
    return meets;
}

static bool find_place(const struct subject *subject, struct remark *remark)
{
    double best = subject->path->cycles;
    unsigned by = 0;
    for (unsigned bytes = 1; bytes < LINE_BYTES; bytes++) {
        double cycles = without_cycles_moved(subject, bytes);
        if (!(cycles < best))
            continue;
        best = cycles;
        by = bytes;
    }
    if (!by || !(subject->path->cycles >= WORTH_MOVING * best))
        return false;
    remark->cycles = best;
    remark->level = advice_level_HINT;
    const struct machine_core *core = &subject->machine->core;
    if (core->cache_without_borders && meets_border(subject, remark)) {
        remark_say(
            remark,
            "A jump of the loop crosses or ends at a %u-byte boundary, so this processor does not keep the "
            "code around it in its µop cache (DSB) and decodes it in every iteration (JCC erratum).",
            core->cache_block);
        remark_advise(remark, &borders_gcc);
        remark_advise(remark, &borders_clang);
        return true;
    }
    remark_say(remark, "The same code, moved by %u byte%s in memory, would be fetched and decoded faster.",
               by, by == 1 ? "" : "s");
    remark_advise(remark, &align_gcc);
    remark_advise(remark, &align_clang);
    remark_advise(remark, &align_intel);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    if (!without_matters(subject))
        return false;
    if (find_microcode(subject, remark))
        return true;
    remark->evidence.count = 0;
    remark->cycles = NAN;
    if (!is_fetching(subject->path->limit))
        return false;
    /* Code from the µop cache (DSB) comes in bursts, which users cannot change. */
    return !subject->path->is_cached && find_place(subject, remark);
}

const struct rule rule_front_end = {
    .name = "front-end",
    .title = "The front end limits the loop",
    .meaning = "Before the processor can execute instructions, its front end has to fetch and decode them. "
               "In most loops this takes no extra time; a few kinds of instructions, and badly aligned code, "
               "make it slower than the work itself.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
