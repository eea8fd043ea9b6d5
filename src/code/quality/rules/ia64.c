#include "code/quality/rules/ia64.h"

#include "code/quality/rules/flags.h"
#include "code/quality/without.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STACKED = 96, NEARLY_ALL = 88 };

bool ia64_is_unoptimised(const struct subject *subject)
{
    struct anew anew;
    if (subject->compiler->flags)
        return !subject->compiler->optimisation;
    return flags_look_unoptimised(subject) || (ia64_anew(subject, &anew) && !(anew.recurrence > 0));
}

bool ia64_matters(const struct subject *subject)
{
    return subject->work->is_bundled && subject_is_timed(subject) && !subject->path->call_count &&
           !subject_is_aside(subject) && !ia64_is_unoptimised(subject);
}

const struct pipelined_loop *ia64_pipelined(const struct subject *subject)
{
    const struct model *model = subject->model;
    uint32_t row = array_first_not_below(&model->pipelined_loops, 1, offsetof(struct pipelined_loop, loop),
                                         subject->loop);
    if (row >= model->pipelined_loops.count || model_pipelined_loop(model, row)->loop != subject->loop)
        return NULL;
    return model_pipelined_loop(model, row);
}

bool ia64_anew(const struct subject *subject, struct anew *anew)
{
    return bundled_anew(subject->work->bundled, NULL, subject->item_count, anew);
}

uint8_t *ia64_changes(const struct subject *subject)
{
    return memset(arena_get(subject->arena, subject->item_count + 1), anew_STAYS, subject->item_count + 1);
}

void ia64_say_limits(const struct anew *anew, struct remark *remark)
{
    remark_say(remark, "%.3g for ports and bundles, %.3g for the slowest chain from iteration to iteration",
               anew->resources, anew->recurrence);
}

void ia64_promise(const struct subject *subject, double cycles, struct remark *remark)
{
    remark->cycles = cycles;
    remark->is_upper = true;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_BRANCH)
            remark_point(remark, i);
}

bool ia64_gains(const struct subject *subject, const uint8_t *changes, struct remark *remark)
{
    struct anew now, then;
    if (!ia64_anew(subject, &now) ||
        !bundled_anew(subject->work->bundled, changes, subject->item_count, &then))
        return false;
    double saved = ia64_pipelined(subject) ? now.fewest - then.fewest : now.in_order - then.in_order;
    double cycles = fmax(subject->path->cycles - fmax(saved, 0), then.fewest);
    if (without_gains(subject, cycles)) {
        remark->cycles = cycles;
        return true;
    }
    remark->level = advice_level_HINT;
    remark_say(remark,
               " It costs nothing in this loop as it is: other instructions limit it (at least %.3g cycles: ",
               now.fewest);
    ia64_say_limits(&now, remark);
    remark_say(remark, ").");
    return false;
}

/* By instruction of the function: its item + 1. */
static uint32_t *find_items(const struct subject *subject, uint32_t first, uint32_t count)
{
    uint32_t *item_of = arena_get(subject->arena, (count + 1) * sizeof *item_of);
    memset(item_of, 0, (count + 1) * sizeof *item_of);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].instruction - first < count)
            item_of[subject->items[i].instruction - first] = i + 1;
    return item_of;
}

static const struct function *function_of(const struct subject *subject, uint32_t *first)
{
    const struct model *model = subject->model;
    const struct function *function = model_function(model, model_loop(model, subject->loop)->function);
    *first = model_block(model, function->first_block)->first_instruction;
    return function;
}

/* A register's letter and number, such as f and 54. */
static bool split_name(const struct model *model, uint32_t row, char *letter, int *number)
{
    const char *name = model_text(model, model_register(model, row)->name);
    char *end = NULL;
    if (!name || !name[0] || !strchr("rfp", name[0]))
        return false;
    *letter = name[0];
    *number = (int)strtol(name + 1, &end, 10);
    return end != name + 1 && !*end;
}

/* How often the registers rotate until the register that an item writes is the one that another one reads. */
static int rotations_between(const struct subject *subject, unsigned item, uint32_t register_row)
{
    char letter, other;
    int number, written, fewest = INT_MAX;
    if (!split_name(subject->model, register_row, &letter, &number))
        return 0;
    for (unsigned u = 0; u < subject->items[item].use_count; u++) {
        const struct register_use *use = &subject->items[item].uses[u];
        if (use->access != access_READ && split_name(subject->model, use->register_, &other, &written) &&
            other == letter && written <= number && number - written < fewest)
            fewest = number - written;
    }
    return fewest;
}

/* In a software pipeline all definitions are predicated, so that older ones seem to reach each use, too.
   The one that rotated least is from the iteration that the use is of. */
static void keep_nearest(const struct subject *subject, struct ia64_read *reads, unsigned *count)
{
    unsigned kept = 0;
    for (unsigned i = 0, end; i < *count; i = end) {
        if (reads[i].use == IA64_OUTSIDE) {
            reads[kept++] = reads[i];
            end = i + 1;
            continue;
        }
        struct ia64_read nearest = reads[i];
        int fewest = INT_MAX;
        for (end = i;
             end < *count && reads[end].use == reads[i].use && reads[end].register_ == reads[i].register_;
             end++) {
            int rotations = rotations_between(subject, reads[end].definition, reads[end].register_);
            if (rotations >= fewest)
                continue;
            fewest = rotations;
            nearest = reads[end];
        }
        nearest.is_sole = true;
        reads[kept++] = nearest;
    }
    *count = kept;
}

const struct ia64_read *ia64_reads(const struct subject *subject, unsigned *count)
{
    const struct array *rows = &subject->model->def_use;
    uint32_t first, instructions = function_of(subject, &first)->instruction_count;
    const uint32_t *item_of = find_items(subject, first, instructions);
    size_t begin = array_first_not_below(rows, 0, offsetof(struct def_use, use), first), end = begin;
    while (end < rows->count && ARRAY_AT(struct def_use, rows, end)->use - first < instructions)
        end++;
    struct ia64_read *reads = arena_get(subject->arena, (end - begin + 1) * sizeof *reads);
    *count = 0;
    for (size_t i = begin; i < end; i++) {
        const struct def_use *row = ARRAY_AT(struct def_use, rows, i);
        uint32_t item = row->definition - first < instructions ? item_of[row->definition - first] : 0;
        if (!item)
            continue;
        const struct def_use *before = i > begin ? row - 1 : NULL, *after = i + 1 < end ? row + 1 : NULL;
        bool is_sole = !row->is_entry_too &&
                       !(before && before->use == row->use && before->register_ == row->register_) &&
                       !(after && after->use == row->use && after->register_ == row->register_);
        uint32_t use = item_of[row->use - first];
        reads[(*count)++] = (struct ia64_read){.definition = item - 1,
                                               .use = use ? use - 1 : IA64_OUTSIDE,
                                               .register_ = row->register_,
                                               .is_sole = is_sole};
    }
    if (ia64_pipelined(subject))
        keep_nearest(subject, reads, count);
    return reads;
}

static uint32_t sole_definition(const struct model *model, uint32_t use, uint32_t register_row,
                                uint32_t except)
{
    uint32_t found = 0;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == use; i++) {
        const struct def_use *row = model_def_use(model, (uint32_t)i);
        if (row->register_ != register_row || row->definition == except)
            continue;
        if (found || row->is_entry_too)
            return 0;
        found = row->definition;
    }
    return found;
}

/* The constant that an instruction moves, or that the instruction before it in the chain does. */
static bool find_constant(const struct model *model, uint32_t instruction, unsigned steps, int64_t *value)
{
    uint32_t source = 0, encoding = instruction ? model_instruction(model, instruction)->encoding : 0;
    if (!encoding || model_encoding(model, encoding)->class != class_MOVE)
        return false;
    for (uint32_t k =
             array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
         k < model->operands.count && model_operand(model, k)->encoding == encoding; k++) {
        const struct operand *operand = model_operand(model, k);
        if (operand->kind == operand_kind_IMMEDIATE) {
            *value = operand->value;
            return true;
        }
        if (operand->kind == operand_kind_REGISTER && operand->access == access_READ)
            source = model_register(model, operand->register_)->full;
    }
    return source && steps &&
           find_constant(model, sole_definition(model, instruction, source, 0), steps - 1, value);
}

int64_t ia64_trips(const struct subject *subject)
{
    const struct model *model = subject->model;
    string_id name = strings_find(&model->strings, "ar.lc");
    uint32_t branch = 0;
    int64_t value;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->class == class_BRANCH)
            branch = subject->items[i].instruction;
    for (uint32_t id = 1; name && branch && !subject->trips && id < model->registers.count; id++)
        if (model_register(model, id)->name == name &&
            find_constant(model, sole_definition(model, branch, id, branch), 1, &value))
            return value >= 0 && value < INT32_MAX ? value + 1 : 0;
    return subject->trips;
}

unsigned ia64_stacked(const struct subject *subject)
{
    const struct model *model = subject->model;
    uint32_t first, count = function_of(subject, &first)->instruction_count;
    for (uint32_t id = first; id < first + count && id < model->code.count; id++) {
        uint32_t encoding = model_instruction(model, id)->encoding;
        if (model_encoding(model, encoding)->operation != operation_ALLOCATE)
            continue;
        int64_t sum = 0, first_number = 0;
        unsigned numbers = 0;
        for (uint32_t k =
                 array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
             k < model->operands.count && model_operand(model, k)->encoding == encoding; k++)
            if (model_operand(model, k)->kind == operand_kind_IMMEDIATE && numbers++ < 3) {
                int64_t value = model_operand(model, k)->value;
                first_number = numbers == 1 ? value : first_number;
                sum += value >= 0 && value <= STACKED ? value : STACKED + 1;
            }
        /* Inputs, locals, outputs, rotating; a disassembler's three are all, inputs and locals, rotating. */
        sum = numbers == 3 ? first_number : sum;
        return sum > 0 && sum <= STACKED ? (unsigned)sum : 0;
    }
    return 0;
}

static bool is_stack_access(const struct subject *subject, unsigned item)
{
    const struct array *rows = &subject->model->stack_accesses;
    uint32_t instruction = subject->items[item].instruction;
    size_t at = array_first_not_below(rows, 0, offsetof(struct stack_access, instruction), instruction);
    if (at == rows->count)
        return false;
    const struct stack_access *access = ARRAY_AT(struct stack_access, rows, at);
    bool is_only = at + 1 == rows->count || access[1].instruction != instruction;
    /* Above the stack pointer at entry are arguments; a number narrower than a register is an array's or a
       structure's. */
    return access->instruction == instruction && is_only && access->offset < 16 && access->bytes >= 8;
}

static unsigned find_accesses(const struct subject *subject, uint8_t *changes, struct remark *remark,
                              unsigned *stores)
{
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (!is_stack_access(subject, i))
            continue;
        changes[i] = anew_GONE;
        remark_point(remark, i);
        *stores += subject->items[i].row->store_bytes > 0;
        count++;
    }
    return count;
}

bool ia64_find_spills(const struct subject *subject, struct remark *remark, bool is_about_full)
{
    unsigned stores = 0, stacked = ia64_stacked(subject);
    char words[2][32];
    if (!ia64_matters(subject) || !stacked || (stacked >= NEARLY_ALL) != is_about_full ||
        subject->metric->useless_stack_count)
        return false;
    uint8_t *changes = ia64_changes(subject);
    unsigned count = find_accesses(subject, changes, remark, &stores);
    if (!count && !is_about_full)
        return false;
    if (is_about_full)
        remark_say(remark, "The function's alloc takes %u of the 96 stacked registers", stacked);
    else
        remark_say(remark, "The function's alloc leaves %u of the 96 stacked registers unused",
                   STACKED - stacked);
    if (!count) {
        remark_say(remark, ": a call below it makes the processor store some of them.");
        remark->level = advice_level_HINT;
        return true;
    }
    remark_say(remark, ", %s the loop has %s and %s per iteration.", is_about_full ? "and" : "yet",
               remark_count(words[0], sizeof words[0], stores, "spill", "spills"),
               remark_count(words[1], sizeof words[1], count - stores, "fill", "fills"));
    remark->is_upper = true;
    if (!ia64_gains(subject, changes, remark))
        remark->is_upper = false;
    return true;
}
