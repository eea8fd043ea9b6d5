/* Calls through pointers and virtual calls, in loops whose work they are.

   Programs are full of loops that call through pointers once for each thing: handlers, destructors, streams.
   There the callee does the work, and a direct call would change nothing. It is worth a word where a
   small loop with no other call computes with the result, adds it up or stores it: such callees are small as
   a rule, and inlined they would be a few instructions. Other small loops with one such call get a hint;
   loops that only test the result, such as sorts with a comparison function, among them.

   A virtual call is two loads and a call: the table from the first word of the object, the function from the
   table. Whether the target is the same in every iteration follows from where the pointer comes from. */
#include "code/quality/rules/call_values.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/forks.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>

enum { SMALL_LOOP = 32, POINTER = 8 /* bytes */ };

static const struct remedy by_type = {
    audience_C, NULL,
    "Keep the objects of each type in an array of their own, or sort the pointers by type, with one loop for "
    "each type over the objects themselves: these calls are direct and can be inlined.",
    action_DIRECT_CALL, NULL};
static const struct remedy whole = {
    audience_C, NULL,
    "Make the loop part of the virtual function: one call for all elements, and a plain loop inside.",
    action_DIRECT_CALL, NULL};
static const struct remedy final = {audience_C, NULL,
                                    "Declare classes that nothing derives from, or their functions, final: "
                                    "calls by a pointer to such a class "
                                    "are direct.",
                                    action_DIRECT_CALL, NULL};
static const struct remedy constant = {
    audience_C, NULL,
    "Make the function a template parameter, or the loop a static inline function that gets it as an "
    "argument, with one call for each function: then it is known where the loop is compiled, and inlined.",
    action_DIRECT_CALL, NULL};
static const struct remedy by_case = {
    audience_C, NULL,
    "Sort the elements by the function that is for them, or test for the most frequent one and call it "
    "directly, so that it can be inlined.",
    action_DIRECT_CALL, NULL};
static const struct remedy procedure = {
    audience_FORTRAN, NULL,
    "Select the procedure before the loop, with one loop for each case, and call it by its name.",
    action_DIRECT_CALL, NULL};

enum target {
    target_SAME,         /* one pointer for all iterations */
    target_LOADED,       /* a pointer from the data of each iteration */
    target_VIRTUAL,      /* of the object of each iteration */
    target_VIRTUAL_SAME, /* of one object */
};

/* The item that loads the register; VALUE_OUTSIDE if it comes from outside the loop or is computed. */
static uint32_t loaded_by(const struct values *values, unsigned item, uint32_t register_row, bool *stays)
{
    struct value_source source = values_of_register(values, item, register_row);
    *stays = source.item == VALUE_OUTSIDE;
    return source.item != VALUE_OUTSIDE && !source.is_earlier &&
                   values->subject->items[source.item].row->class == class_LOAD
               ? source.item
               : VALUE_OUTSIDE;
}

static const struct operand *place_of(const struct subject *subject, unsigned item)
{
    for (unsigned i = 0; i < subject->items[item].operand_count; i++)
        if (subject->items[item].operands[i].kind == operand_kind_MEMORY)
            return &subject->items[item].operands[i];
    return NULL;
}

/* From the place that a function pointer is loaded from. */
static enum target target_at(const struct values *values, unsigned item, const struct operand *place,
                             struct remark *remark)
{
    const struct subject *subject = values->subject;
    const struct subject_access *access = values_access(subject, item);
    bool stays;
    uint32_t table = loaded_by(values, item, place->base_register, &stays);
    const struct operand *object = table != VALUE_OUTSIDE ? place_of(subject, table) : NULL;
    if (object && !place->index_register && !object->index_register && !object->displacement &&
        object->base_register && !object->is_relative) {
        const struct subject_access *of_object = values_access(subject, table);
        bool is_same = of_object && of_object->pattern == access_pattern_INVARIANT;
        remark_point(remark, table);
        return is_same ? target_VIRTUAL_SAME : target_VIRTUAL;
    }
    return access && access->pattern == access_pattern_INVARIANT ? target_SAME : target_LOADED;
}

static enum target find_target(const struct values *values, unsigned call, struct remark *remark)
{
    const struct subject *subject = values->subject;
    const struct operand *place = place_of(subject, call);
    bool stays;
    if (place)
        return target_at(values, call, place, remark);
    for (unsigned i = 0; i < subject->items[call].operand_count; i++) {
        const struct operand *operand = &subject->items[call].operands[i];
        if (operand->kind != operand_kind_REGISTER)
            continue;
        uint32_t load = loaded_by(values, call, operand->register_, &stays);
        if (stays)
            return target_SAME;
        if (load == VALUE_OUTSIDE || !(place = place_of(subject, load)))
            break;
        remark_point(remark, load);
        return target_at(values, load, place, remark);
    }
    return target_LOADED;
}

/* Whether the loop computes with the result: adds it to something, or stores it and it is not a pointer. */
static bool is_computed_with(const struct subject *subject, unsigned call)
{
    struct call_registers registers;
    call_registers_find(subject, &registers);
    const uint32_t results[] = {registers.result, registers.float_result};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t reader = call_result_reader(subject, call, results[i]);
        if (reader == VALUE_OUTSIDE)
            continue;
        const struct subject_item *item = &subject->items[reader];
        bool is_number = item->is_fp || item->row->store_bytes < POINTER;
        bool is_stored = item->row->store_bytes && item->row->class == class_STORE && is_number;
        bool is_sum =
            item->is_arithmetic && item->row->class != class_COMPARE && item->row->class != class_LOGIC;
        if (item->purpose == purpose_DATA && item->row->flow == flow_NEXT && (is_stored || is_sum))
            return true;
    }
    return false;
}

static void say(const struct subject *subject, unsigned call, enum target target, struct remark *remark)
{
    static const char *const says[] = {
        [target_SAME] = "calls the same function through a pointer",
        [target_LOADED] = "loads a function pointer and calls through it",
        [target_VIRTUAL] =
            ("makes a virtual call: it loads the object's table of functions, the function from "
             "there, and calls it"),
        [target_VIRTUAL_SAME] = "makes a virtual call for the same object",
    };
    const char *place = fork_place(subject, call);
    double penalty = subject->machine->core.mispredict;
    remark_say(remark, "Each iteration %s", says[target]);
    if (place)
        remark_say(remark, " (%s)", place);
    remark_say(remark, ". The compiler does not know the function and cannot inline it");
    if (target == target_SAME || target == target_VIRTUAL_SAME)
        remark_say(remark, ".");
    else if (penalty > 0)
        remark_say(remark,
                   "; where targets alternate without a pattern, each wrong guess costs about %.0f cycles.",
                   penalty);
    else
        remark_say(remark,
                   "; where targets alternate without a pattern, wrong guesses cost more than the call.");
}

/* Calls in all blocks of the loop, also on other paths. */
static unsigned count_calls(const struct subject *subject)
{
    const struct model *model = subject->model;
    unsigned count = 0;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
            count += model_encoding(model, encoding)->flow == flow_CALL;
        }
    }
    return count;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct values values;
    uint32_t call = VALUE_OUTSIDE;
    if (subject_is_aside(subject) || subject->item_count > SMALL_LOOP || !subject->metric->call_count ||
        count_calls(subject) != 1)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow != flow_CALL)
            continue;
        if (callee_find(subject, subject->items[i].instruction, &callee) && callee.sort == callee_INDIRECT)
            call = i;
    }
    if (call == VALUE_OUTSIDE)
        return false;
    values_find(&values, subject);
    enum target target = find_target(&values, call, remark);
    remark_point(remark, call);
    if (!is_computed_with(subject, call))
        remark->level = advice_level_HINT;
    say(subject, call, target, remark);
    if (target == target_VIRTUAL)
        remark_advise(remark, &by_type);
    if (target == target_VIRTUAL_SAME)
        remark_advise(remark, &whole);
    if (target == target_VIRTUAL || target == target_VIRTUAL_SAME)
        remark_advise(remark, &final);
    if (target == target_SAME)
        remark_advise(remark, &constant);
    if (target == target_LOADED)
        remark_advise(remark, &by_case);
    remark_advise(remark, &procedure);
    return true;
}

const struct rule rule_indirect_call = {
    .name = "indirect-call",
    .title = "The loop calls through a pointer",
    .meaning = "A call through a pointer cannot be inlined, so even a function of three instructions costs a "
               "call, saved registers, and a loop that is neither vectorised nor unrolled. The processor "
               "guesses the target; if it changes from iteration to iteration, the guesses are often wrong.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-fprofile-use",
                  "-fprofile-generate, a typical run, then -fprofile-use: GCC calls the most frequent target "
                  "directly and can inline it.",
                  action_OTHER_OPTION, NULL},
                 {audience_CLANG, "-fprofile-use",
                  "-fprofile-generate, a typical run, then -fprofile-use: Clang calls the most frequent "
                  "target directly and can inline it.",
                  action_OTHER_OPTION, NULL}},
    .find = find,
};
