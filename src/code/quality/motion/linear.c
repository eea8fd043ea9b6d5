/* Which instructions compute sums: the operation says how, the operands say of what.

   Moves, additions of constants, stepped bases, pushes and pops are known already, as the step of
   machine_cost; what is here is what that leaves out: two registers, scaled ones, 32 bits and their extension
   to 64, products, the vector length of a scalable machine, and values that go through memory. */
#include "code/quality/motion/linear.h"

#include "model/elements.h"
#include "model/isa.h"

#include <string.h>

enum { MOST_SOURCES = 4 };

/* The operands of an item by what happens to them. */
struct sources {
    const struct subject *subject;
    const struct subject_item *item;
    const struct machine_cost *cost;
    const uint16_t *resource_of;
    const struct operand *read[MOST_SOURCES]; /* registers, constants and memory, in order */
    const struct operand *written[2];         /* registers and memory */
    const struct operand *address;
    unsigned read_count, written_count;
    bool is_odd; /* too many of them, parts of registers, registers that are not general */
};

enum { LEAST_BITS = 32 }; /* of a number that addresses are computed from */

/* Registers that hold whole numbers of 32 bits or more: general ones, or vectors of them. */
static bool is_whole_number(const struct subject *subject, const struct subject_item *item,
                            const struct operand *operand)
{
    if (operand->kind != operand_kind_REGISTER)
        return true;
    unsigned kind = model_register(subject->model, operand->register_)->kind;
    if (item->row->is_vector)
        return kind == register_kind_VECTOR &&
               (item->row->element == element_INT32 || item->row->element == element_INT64);
    return operand->register_ && operand->bits >= LEAST_BITS && kind == register_kind_GENERAL;
}

static struct sources sources_of(const struct linear_instruction *instruction)
{
    const struct subject *subject = instruction->subject;
    const struct subject_item *item = instruction->item;
    struct sources sources = {.subject = subject,
                              .item = item,
                              .cost = instruction->cost,
                              .resource_of = subject->work->costs.resource_of};
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        bool is_value = operand->kind == operand_kind_REGISTER || operand->kind == operand_kind_MEMORY ||
                        operand->kind == operand_kind_IMMEDIATE;
        if (operand->kind == operand_kind_ADDRESS)
            sources.address = operand;
        if (!is_value || operand->access == access_NONE)
            continue;
        sources.is_odd |= !is_whole_number(subject, item, operand) || operand->is_conditional;
        if (operand->access & access_READ && sources.read_count++ < MOST_SOURCES)
            sources.read[sources.read_count - 1] = operand;
        if (operand->access & access_WRITE && sources.written_count++ < 2)
            sources.written[sources.written_count - 1] = operand;
    }
    sources.is_odd |= sources.read_count > MOST_SOURCES || sources.written_count > 2;
    return sources;
}

static uint16_t resource_of(const struct sources *sources, uint32_t row)
{
    return row && row < sources->subject->work->costs.register_count ? sources->resource_of[row]
                                                                     : (uint16_t)RESOURCE_NONE;
}

/* Which access of the cost an operand is. */
static bool find_access(const struct sources *sources, bool stores, uint8_t *access)
{
    for (unsigned i = 0; i < sources->cost->access_count; i++) {
        if (stores ? sources->cost->accesses[i].stores : sources->cost->accesses[i].loads) {
            *access = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static void add_register(struct linear_result *result, uint16_t resource, int64_t factor)
{
    result->parts[result->part_count++] =
        (struct linear_part){.kind = linear_REGISTER, .resource = resource, .factor = factor};
}

/* Shifts other than to the left are in the text only. */
static bool shifts_right(const struct sources *sources)
{
    const char *text = model_text(sources->subject->model, sources->item->row->text);
    return text && (strstr(text, "lsr #") || strstr(text, "asr #") || strstr(text, "ror #"));
}

/* An operand that is read, times a factor. */
static bool add_operand(const struct sources *sources, const struct operand *operand, int64_t factor,
                        struct linear_result *result)
{
    enum { MOST_SHIFT = 31 };
    uint8_t access;
    if (result->part_count == MOST_LINEAR_PARTS)
        return false;
    if (operand->kind == operand_kind_IMMEDIATE) {
        result->constant += (int64_t)((uint64_t)operand->value * (uint64_t)factor);
    } else if (operand->kind == operand_kind_MEMORY) {
        if (!find_access(sources, false, &access))
            return false;
        result->parts[result->part_count++] =
            (struct linear_part){.kind = linear_MEMORY, .access = access, .factor = factor};
    } else {
        if (operand->value < 0 || operand->value > MOST_SHIFT || (operand->value && shifts_right(sources)))
            return false;
        add_register(result, resource_of(sources, operand->register_),
                     factor * (INT64_C(1) << operand->value));
    }
    return true;
}

static bool add_all(const struct sources *sources, int64_t last_factor, struct linear_result *result)
{
    for (unsigned i = 0; i < sources->read_count; i++)
        if (!add_operand(sources, sources->read[i], i + 1 == sources->read_count ? last_factor : 1, result))
            return false;
    return true;
}

static bool add_address(const struct sources *sources, struct linear_result *result)
{
    const struct operand *address = sources->address;
    if (!address || sources->read_count)
        return false;
    if (address->is_relative) {
        uint64_t target = model_instruction(sources->subject->model, sources->item->instruction)->target;
        result->constant = target == NO_ADDRESS ? 0 : (int64_t)target;
        return target != NO_ADDRESS;
    }
    result->constant = address->displacement;
    if (address->base_register)
        add_register(result, resource_of(sources, address->base_register), 1);
    if (address->index_register)
        add_register(result, resource_of(sources, address->index_register),
                     address->scale ? address->scale : 1);
    return true;
}

/* A product of two operands, and a third one added where there is one; of a constant it is a sum. */
static bool add_product(const struct sources *sources, int64_t factor, struct linear_result *result)
{
    const struct operand *one = sources->read[0], *other = sources->read[1];
    if (sources->read_count < 2)
        return false;
    if (other->kind == operand_kind_IMMEDIATE)
        return sources->read_count == 2 && add_operand(sources, one, other->value, result);
    if (one->value || other->value || !add_operand(sources, one, factor, result) ||
        !add_operand(sources, other, 1, result))
        return false;
    result->parts[0].is_product = true;
    return sources->read_count == 2 || add_operand(sources, sources->read[2], 1, result);
}

static bool add_shifted(const struct sources *sources, struct linear_result *result)
{
    const struct operand *amount = sources->read_count > 1 ? sources->read[1] : NULL;
    const struct operand *width = sources->read_count > 2 ? sources->read[2] : NULL;
    enum { MOST_SHIFT = 31 };
    /* The lower bits alone (ubfiz): a ring buffer. */
    if (width && (width->kind != operand_kind_IMMEDIATE || width->value < LEAST_BITS))
        return false;
    return amount && amount->kind == operand_kind_IMMEDIATE && amount->value >= 0 &&
           amount->value <= MOST_SHIFT &&
           add_operand(sources, sources->read[0], INT64_C(1) << amount->value, result);
}

/* The number of elements in a vector, times the multiplier that the text may have; patterns other than all
   are not followed. */
static bool add_length(const struct sources *sources, enum operation operation, struct linear_result *result)
{
    unsigned bits = sources->subject->machine->core.vector_bits;
    unsigned element = element_bits((enum element)sources->item->row->source_element);
    int64_t multiplier = 1, sign = operation == operation_SUBTRACT_LENGTH ? -1 : 1;
    const char *text = model_text(sources->subject->model, sources->item->row->text);
    if (!bits || !element || !text)
        return false;
    if (operation == operation_ADD_LENGTHS) {
        if (!sources->read_count || sources->read[sources->read_count - 1]->kind != operand_kind_IMMEDIATE)
            return false;
        multiplier = sources->read[sources->read_count - 1]->value;
    } else if (strchr(text, ',')) {
        const char *times = strstr(text, "mul #");
        if (!strstr(text, ", all") || !times)
            return false;
        multiplier = 0;
        for (times += strlen("mul #"); *times >= '0' && *times <= '9' && multiplier < 256; times++)
            multiplier = multiplier * 10 + (*times - '0');
    }
    result->constant = sign * multiplier * (int64_t)(bits / element);
    if (operation != operation_LENGTH && sources->read_count &&
        sources->read[0]->kind == operand_kind_REGISTER)
        return add_operand(sources, sources->read[0], 1, result);
    return true;
}

static bool add_folded(const struct sources *sources, enum linear_fold fold, struct linear_result *result)
{
    enum { MOST_SHIFT = 63 };
    const struct operand *constant = sources->read_count == 2 ? sources->read[1] : NULL;
    if (!constant || constant->kind != operand_kind_IMMEDIATE ||
        (fold == fold_RIGHT && (constant->value < 0 || constant->value > MOST_SHIFT)))
        return false;
    result->fold = fold;
    result->folded = constant->value;
    return add_operand(sources, sources->read[0], 1, result);
}

static bool fill(const struct sources *sources, enum operation operation, struct linear_result *result)
{
    const struct operand *const *read = sources->read;
    switch (operation) {
    case operation_COPY:
    case operation_EXTEND:
        return sources->read_count == 1 && add_all(sources, 1, result);
    case operation_ADD:
        return sources->read_count >= 2 && add_all(sources, 1, result);
    case operation_SUBTRACT:
        return sources->read_count == 2 && add_all(sources, -1, result);
    case operation_NEGATE:
        return sources->read_count == 1 && add_all(sources, -1, result);
    case operation_INCREMENT:
    case operation_DECREMENT:
        result->constant = operation == operation_INCREMENT ? 1 : -1;
        return sources->read_count == 1 && add_all(sources, 1, result);
    case operation_SHIFT_LEFT:
        return add_shifted(sources, result);
    case operation_MULTIPLY:
    case operation_MULTIPLY_ADD:
        return add_product(sources, 1, result);
    case operation_MULTIPLY_SUBTRACT:
        return add_product(sources, -1, result);
    case operation_ADDRESS:
    case operation_PAGE:
        return add_address(sources, result);
    case operation_EXCLUSIVE_OR:
        return sources->read_count == 2 && read[0]->kind == operand_kind_REGISTER &&
               read[1]->kind == operand_kind_REGISTER && read[0]->register_ == read[1]->register_;
    case operation_AND:
        return add_folded(sources, fold_AND, result);
    case operation_OR:
        return add_folded(sources, fold_OR, result);
    case operation_SHIFT_RIGHT:
        return add_folded(sources, fold_RIGHT, result);
    case operation_LENGTH:
    case operation_ADD_LENGTH:
    case operation_SUBTRACT_LENGTH:
    case operation_ADD_LENGTHS:
        return add_length(sources, operation, result);
    default:
        return false;
    }
}

const struct operand *linear_stepped(const struct subject_item *item)
{
    const struct operand *memory = NULL;
    if (!isa_facts((enum isa)item->row->isa)->steps_bases)
        return NULL;
    for (unsigned i = 0; i < item->operand_count && !memory; i++)
        if (item->operands[i].kind == operand_kind_MEMORY)
            memory = &item->operands[i];
    if (!memory || !memory->base_register)
        return NULL;
    /* A pointer that is loaded through itself is written by its operand. */
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_REGISTER && item->operands[i].access & access_WRITE &&
            item->operands[i].register_ == memory->base_register)
            return NULL;
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].register_ == memory->base_register && item->uses[i].access & access_WRITE)
            return memory;
    return NULL;
}

/* A base that an access moves by a register, or under a predicate: in a pipelined loop that is true for as
   long as there are iterations. */
static unsigned step_base(const struct sources *sources, struct linear_result *result)
{
    const struct subject_item *item = sources->item;
    const struct operand *memory = linear_stepped(item), *step = NULL;
    if (!memory)
        return 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand > memory && operand->access & access_READ &&
            (operand->kind == operand_kind_IMMEDIATE || operand->kind == operand_kind_REGISTER))
            step = operand;
    }
    *result = (struct linear_result){.resource = resource_of(sources, memory->base_register)};
    add_register(result, result->resource, 1);
    if (!step)
        result->constant = memory->displacement;
    else if (!add_operand(sources, step, 1, result))
        return 0;
    return result->constant || result->part_count > 1;
}

/* Loads and stores of general registers, of pairs too. */
static unsigned transfer(const struct sources *sources, struct linear_result *results)
{
    const struct operand *memory = NULL, *registers[2] = {NULL};
    unsigned count = 0;
    uint8_t access;
    unsigned class = sources->item->row->class;
    bool stores = class == class_STORE || class == class_PUSH;
    for (unsigned i = 0; i < sources->item->operand_count; i++) {
        const struct operand *operand = &sources->item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            memory = operand;
        bool is_data = stores ? operand->access == access_READ : operand->access == access_WRITE;
        if (memory || !is_data || operand->kind != operand_kind_REGISTER)
            continue;
        if (count == 2 ||
            model_register(sources->subject->model, operand->register_)->kind != register_kind_GENERAL)
            return 0;
        registers[count++] = operand;
    }
    /* Intel's order has the memory that is stored to before the register. */
    if (stores && memory && !count && sources->read_count == 1 &&
        is_whole_number(sources->subject, sources->item, sources->read[0]))
        registers[count++] = sources->read[0];
    if (!count || !find_access(sources, stores, &access))
        return 0;
    int64_t apart = sources->cost->accesses[access].bytes / (int64_t)count;
    for (unsigned i = 0; i < count; i++) {
        struct linear_result *result = &results[i];
        *result = (struct linear_result){.access = access, .is_stored = stores};
        if (stores) {
            result->offset = apart * i;
            if (!add_operand(sources, registers[i], 1, result))
                return 0;
        } else {
            result->resource = resource_of(sources, registers[i]->register_);
            result->parts[result->part_count++] = (struct linear_part){
                .kind = linear_MEMORY, .access = access, .offset = apart * i, .factor = 1};
        }
    }
    return count;
}

static unsigned compute(const struct sources *sources, struct linear_result *result)
{
    const struct encoding *row = sources->item->row;
    *result = (struct linear_result){0};
    if (sources->is_odd)
        return 0;
    if (row->operation == operation_EXTEND && element_bits((enum element)row->source_element) < LEAST_BITS)
        return 0;
    if (row->operation == operation_EXTEND && !sources->item->operand_count) { /* cdqe */
        if (!sources->item->use_count)
            return 0;
        result->resource = resource_of(sources, sources->item->uses[0].register_);
        add_register(result, result->resource, 1);
        return 1;
    }
    if (sources->written_count != 1 || !fill(sources, (enum operation)row->operation, result))
        return 0;
    if (sources->written[0]->kind == operand_kind_REGISTER)
        result->resource = resource_of(sources, sources->written[0]->register_);
    else
        result->is_stored = find_access(sources, true, &result->access);
    return result->is_stored || sources->written[0]->kind == operand_kind_REGISTER;
}

unsigned linear_results(const struct linear_instruction *instruction,
                        struct linear_result results[MOST_LINEAR_RESULTS])
{
    const struct encoding *row = instruction->item->row;
    const struct cost_step *step = &instruction->cost->step;
    unsigned count = 0;
    if (step->to) {
        results[count] = (struct linear_result){.resource = step->to, .constant = step->constant};
        if (step->from)
            add_register(&results[count], step->from, 1);
        count++;
    }
    if (!count && (row->load_bytes || row->store_bytes)) {
        struct sources sources = sources_of(instruction);
        count += step_base(&sources, &results[count]);
    }
    /* Of vectors only sums are followed: they become the indices of gathers. */
    if ((row->is_vector && row->class != class_ADD) || row->is_masked || row->is_unknown)
        return count;
    switch (row->class) {
    case class_LOAD:
    case class_STORE:
    case class_PUSH:
    case class_POP: {
        struct sources sources = sources_of(instruction);
        return count + transfer(&sources, &results[count]);
    }
    case class_MOVE:
    case class_ADD:
    case class_ADDRESS:
    case class_SHIFT:
    case class_MULTIPLY:
    case class_FMA:
    case class_LOGIC: {
        struct sources sources = sources_of(instruction);
        return count ? count : compute(&sources, &results[count]);
    }
    default:
        return count;
    }
}
