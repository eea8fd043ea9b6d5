/* Vectors that cross cache lines.

   Such a load takes two turns where the machine file says so (`load-line`). The cycles of a path assume the
   best alignment of data; this rule looks at the real one.
   - The start of static arrays is known: the address is in the code, and the index starts from zero. Then the
     crossings of each access follow from its start and its step.
   - Otherwise it is unknown, and there is a hint if the worst alignment would make the loop slower. Aligned
   move instructions prove alignment.
   - Vectors of 16 bytes count where the processor has no longer ones, and where it is known how they lie.
   - Where the machine file does not say what a crossing takes, those that are known are named without a gain.
   - Compilers split accesses of unknown alignment for the first processors with AVX: two halves instead of one.
   - Processors that are slow with the instruction for unaligned data, even if it is aligned (Core 2), are
   recognised by their costs for both. */
#include "code/quality/aligned.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_LOAD = 16, LONG_LOAD = 32, UNKNOWN_PLACE = UINT32_MAX };

struct placing {
    const struct subject *subject;
    unsigned line;         /* bytes */
    double plain, crossed; /* cycles of loads without crossings, and of the crossings */
    double worst;          /* of the crossings, with the worst alignment of everything unknown */
    unsigned known, unknown;
};

static bool is_in_loop(const struct subject *subject, uint32_t instruction)
{
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].instruction == instruction)
            return true;
    return false;
}

/* The one instruction in front of the loop that gives a register its value for the first iteration; 0: none,
   or several.  A register that is stepped in the loop before its use has it from there. */
static uint32_t definition_of(const struct subject *subject, uint32_t use, uint32_t register_row)
{
    enum { MOST_STEPS = 8 };
    const struct array *rows = &subject->model->def_use;
    uint32_t full = model_full_register(subject->model, register_row);
    for (unsigned steps = 0; use && steps < MOST_STEPS; steps++) {
        uint32_t outside = 0, inside = 0;
        size_t at = array_first_not_below(rows, 0, offsetof(struct def_use, use), use);
        for (; at < rows->count && ARRAY_AT(struct def_use, rows, at)->use == use; at++) {
            const struct def_use *row = ARRAY_AT(struct def_use, rows, at);
            if (row->register_ != full)
                continue;
            uint32_t *found = is_in_loop(subject, row->definition) ? &inside : &outside;
            if (row->is_entry_too || *found || !row->definition)
                return 0;
            *found = row->definition;
        }
        if (outside)
            return outside;
        use = inside;
    }
    return 0;
}

/* The value that an instruction gives to its register, if that is a constant of the program. */
static bool constant_of(const struct subject *subject, uint32_t instruction, uint64_t *value)
{
    struct subject_item item;
    if (!instruction)
        return false;
    subject_item_take(subject->model, &item, instruction);
    const struct instruction *row = model_instruction(subject->model, instruction);
    for (unsigned i = 0; i < item.operand_count; i++) {
        const struct operand *operand = &item.operands[i];
        if (operand->is_relative && operand->kind == operand_kind_ADDRESS && row->target != NO_ADDRESS) {
            *value = row->target;
            return true;
        }
        if (operand->kind == operand_kind_IMMEDIATE && item.row->class == class_MOVE &&
            item.operand_count == 2) {
            *value = (uint64_t)operand->value;
            return true;
        }
    }
    /* xor of a register with itself. */
    if (item.row->class == class_LOGIC && item.operand_count == 2 &&
        item.operands[0].kind == operand_kind_REGISTER && item.operands[1].kind == operand_kind_REGISTER &&
        item.operands[0].register_ == item.operands[1].register_) {
        *value = 0;
        return true;
    }
    return false;
}

/* Where in a line the first access of an operand begins. */
static uint32_t place_of(const struct subject *subject, const struct subject_item *item,
                         const struct operand *operand, unsigned line)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    unsigned format = model_program(model, model_function(model, function)->program)->format;
    uint64_t base = 0, index = 0;
    if (format == format_OBJECT || format == format_LISTING || operand->is_relative)
        return UNKNOWN_PLACE;
    if (operand->base_register &&
        !constant_of(subject, definition_of(subject, item->instruction, operand->base_register), &base))
        return UNKNOWN_PLACE;
    if (operand->index_register &&
        !constant_of(subject, definition_of(subject, item->instruction, operand->index_register), &index))
        return UNKNOWN_PLACE;
    index *= operand->scale ? operand->scale : 1;
    return (uint32_t)((base + index + (uint64_t)operand->displacement) % line);
}

/* Part of the iterations in which an access crosses a line. */
static double crossing(uint32_t place, int64_t stride, unsigned bytes, unsigned line)
{
    unsigned count = 0;
    for (unsigned i = 0; i < line; i++) {
        uint64_t at = place + (uint64_t)stride * i;
        count += at % line + bytes > line;
    }
    return (double)count / line;
}

/* How far its base and index have moved in an iteration when an item runs. */
static int64_t moved_before(const struct subject *subject, const struct operand *operand, unsigned item)
{
    const struct cost_item *costs = subject->work->items.data;
    int64_t moved = 0;
    for (unsigned i = 0; i < item; i++) {
        const struct cost_step *step = &costs[i].cost->step;
        const struct cost_access *access = costs[item].cost->accesses;
        if (!step->to || step->to != step->from)
            continue;
        if (operand->base_register && step->to == access->base)
            moved += step->constant;
        if (operand->index_register && step->to == access->index)
            moved += step->constant * access->scale;
    }
    return moved;
}

/* Loads from this on count: whole vectors, up to 32 bytes.  Shorter ones cross a line every fourth time at most. */
static unsigned least_long(const struct subject *subject, const struct subject_item *item)
{
    bool is_short = subject->machine->core.vector_bits <= 8 * SHORT_LOAD ||
                    (!item->is_fp && precondition_x86(subject) && !precondition_avx2(subject));
    return is_short ? SHORT_LOAD : LONG_LOAD;
}

static void place_load(struct placing *placing, const struct subject_access *access, struct remark *remark)
{
    const struct subject *subject = placing->subject;
    const struct machine_core *core = &subject->machine->core;
    const struct subject_item *item = &subject->items[access->item];
    const struct operand *operand = subject_item_memory(item);
    bool is_wide = core->wide_load && access->bytes > core->wide_load && core->wide_loads;
    double turn = 1 / (is_wide && core->wide_loads < subject->machine->loads ? core->wide_loads
                                                                             : subject->machine->loads);
    placing->plain += cost_pieces(core->load_bytes, access->bytes) * turn;
    if (!item->row->is_vector || access->bytes < least_long(subject, item) || access->bytes > placing->line ||
        access->is_stack ||
        (access->pattern != access_pattern_STRIDE_ONE && access->pattern != access_pattern_CONSTANT_STRIDE) ||
        !access->stride || !operand || aligned_is_move(subject, item))
        return;
    uint32_t place = place_of(subject, item, operand, placing->line);
    double most = 0;
    if (place == UNKNOWN_PLACE && access->bytes < LONG_LOAD)
        return;
    if (place == UNKNOWN_PLACE) {
        for (unsigned at = 0; at < placing->line; at++)
            most = fmax(most, crossing(at, access->stride, access->bytes, placing->line));
        placing->unknown++;
        placing->worst += most * turn;
    } else {
        place = (uint32_t)((place + (uint64_t)moved_before(subject, operand, access->item)) % placing->line);
        most = crossing(place, access->stride, access->bytes, placing->line);
        placing->known += most > 0;
        placing->crossed += most * turn;
    }
    if (most > 0)
        remark_point(remark, access->item);
}

/* Of the first cache; 0: unknown. */
static unsigned first_line(const struct machine *machine)
{
    return machine->cache_count ? machine->caches[0].line : 0;
}

static bool find_lines(const struct subject *subject, struct remark *remark)
{
    const struct machine *machine = subject->machine;
    bool has_cost = machine->core.load_line;
    struct placing placing = {.subject = subject,
                              .line = has_cost ? machine->core.load_line : first_line(machine)};
    if (!placing.line || !(machine->loads > 0))
        return false;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].loads)
            place_load(&placing, &subject->accesses[i], remark);
    double others = 0;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        if (part != core_part_LOADS)
            others = fmax(others, subject_bound(subject, part));
    double cycles = fmax(others, placing.plain), now = fmax(others, placing.plain + placing.crossed),
           worst = fmax(others, placing.plain + placing.crossed + placing.worst);
    bool would_gain = now >= LEAST_GAIN * cycles;
    if (placing.known && (would_gain || !has_cost)) {
        remark->level = would_gain ? remark->level : advice_level_HINT;
        remark->cycles = has_cost ? cycles : NAN;
        remark->now = has_cost ? now : NAN;
        remark_say(
            remark,
            "%u load%s per iteration %s known to cross a cache line (%u bytes): the array is not aligned.",
            placing.known, placing.known == 1 ? "" : "s", placing.known == 1 ? "is" : "are", placing.line);
    } else if (has_cost && placing.unknown && worst >= LEAST_GAIN * cycles) {
        remark->level = advice_level_HINT;
        remark_say(remark,
                   "%u load%s per iteration read%s wide vectors from arrays of unknown alignment. If they "
                   "are not aligned to %u bytes, an iteration takes up to %.2f cycles instead of %.2f.",
                   placing.unknown, placing.unknown == 1 ? "" : "s", placing.unknown == 1 ? "s" : "",
                   placing.line, worst, cycles);
    } else {
        return false;
    }
    return true;
}

/* Halves that a compiler made of accesses because it did not know their alignment. */
static bool find_halves(const struct subject *subject, struct remark *remark)
{
    char words[64];
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (aligned_is_half(subject, &subject->items[i])) {
            remark_point(remark, i);
            count++;
        }
    if (!count)
        return false;
    remark->level = advice_level_HINT;
    remark_say(
        remark,
        "%s per iteration %s split in two halves, because the compiler does not know that the data is aligned.",
        remark_count(words, sizeof words, count, "vector access", "vector accesses"),
        count == 1 ? "is" : "are");
    return true;
}

static bool find_slow_moves(const struct subject *subject, struct remark *remark)
{
    struct without without;
    unsigned count = 0;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct machine_form *cheap =
            subject->items[i].row->is_vector ? aligned_form(subject, &subject->items[i]) : NULL;
        if (!cheap)
            continue;
        without_form(&without, i, cheap);
        remark_point(remark, i);
        count++;
    }
    double cycles = count ? without_cycles(&without) : NAN;
    if (!without_gains(subject, cycles))
        return false;
    remark->cycles = cycles;
    remark_say(remark,
               "%u vector move%s %s the unaligned form, and this processor takes several µops for %s even if "
               "the data is aligned.",
               count, count == 1 ? "" : "s", count == 1 ? "uses" : "use", count == 1 ? "it" : "each");
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    if (!without_matters(subject) || !subject->metric->load_count)
        return false;
    if (find_lines(subject, remark))
        return true;
    remark->evidence.count = 0;
    if (find_slow_moves(subject, remark))
        return true;
    remark->evidence.count = 0;
    return find_halves(subject, remark);
}

const struct rule rule_unaligned = {
    .name = "unaligned",
    .title = "Vector accesses cross cache lines",
    .meaning = "Cache lines have 64 bytes. A vector that begins in one line and ends in the next needs both, "
               "and costs two accesses.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Align the arrays to 64 bytes: _Alignas(64) double x[N]; (alignas in C++), also for members of "
          "structures; for memory at run time aligned_alloc(64, …).",
          action_ALIGN},
         {audience_FORTRAN, NULL,
          "Place arrays first in COMMON blocks and derived types, and use -falign-commons (gfortran, the "
          "default) or -align array64byte (Intel).",
          action_ALIGN},
         {audience_C, NULL,
          "Tell the compiler: x = __builtin_assume_aligned(x, 64); or #pragma omp simd aligned(x : 64).",
          action_ALIGN}},
    .find = find,
};
