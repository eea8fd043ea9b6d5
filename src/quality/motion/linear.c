/* Which instructions compute sums, by name: a table of words for all instruction sets, since the same words
   mean the same in all of them.  The operands say what is summed up.

   Moves, additions of constants, stepped bases, pushes and pops are known already, as the step of
   machine_cost; what is here is what that leaves out: two registers, scaled ones, 32 bits and their extension
   to 64, products, the vector length of a scalable machine, and values that go through memory. */
#include "quality/motion/linear.h"

#include <string.h>

enum shape {
    shape_NONE,
    shape_COPY,
    shape_EXTEND, /* a register that no operand shows, onto itself */
    shape_SUM,
    shape_DIFFERENCE,
    shape_NEGATION,
    shape_STEP_UP,
    shape_STEP_DOWN,
    shape_SHIFT,
    shape_PRODUCT,
    shape_PRODUCT_SUM,
    shape_PRODUCT_DIFFERENCE,
    shape_ADDRESS,
    shape_ZERO, /* of equal registers */
    shape_AND,
    shape_OR,
    shape_RIGHT,
    shape_LENGTH,
    shape_LENGTH_UP,
    shape_LENGTH_DOWN,
    shape_LENGTH_SUM,
};

/* Lengths: bytes of the elements that a vector is counted in. */
static const struct word {
    const char *name;
    enum shape shape;
    unsigned element;
} words[] = {
    {"add", shape_SUM, 0},
    {"addl", shape_SUM, 0},
    {"adds", shape_SUM, 0},
    {"addvl", shape_LENGTH_SUM, 1},
    {"adr", shape_ADDRESS, 0},
    {"adrp", shape_ADDRESS, 0},
    {"and", shape_AND, 0},
    {"cdqe", shape_EXTEND, 0},
    {"cntb", shape_LENGTH, 1},
    {"cntd", shape_LENGTH, 8},
    {"cnth", shape_LENGTH, 2},
    {"cntw", shape_LENGTH, 4},
    {"dec", shape_STEP_DOWN, 0},
    {"decb", shape_LENGTH_DOWN, 1},
    {"decd", shape_LENGTH_DOWN, 8},
    {"dech", shape_LENGTH_DOWN, 2},
    {"decw", shape_LENGTH_DOWN, 4},
    {"eor", shape_ZERO, 0},
    {"imul", shape_PRODUCT, 0},
    {"inc", shape_STEP_UP, 0},
    {"incb", shape_LENGTH_UP, 1},
    {"incd", shape_LENGTH_UP, 8},
    {"inch", shape_LENGTH_UP, 2},
    {"incw", shape_LENGTH_UP, 4},
    {"lea", shape_ADDRESS, 0},
    {"lsl", shape_SHIFT, 0},
    {"lsr", shape_RIGHT, 0},
    {"madd", shape_PRODUCT_SUM, 0},
    {"mov", shape_COPY, 0},
    {"movabs", shape_COPY, 0},
    {"movsxd", shape_COPY, 0},
    {"msub", shape_PRODUCT_DIFFERENCE, 0},
    {"mul", shape_PRODUCT, 0},
    {"neg", shape_NEGATION, 0},
    {"or", shape_OR, 0},
    {"orr", shape_OR, 0},
    {"paddd", shape_SUM, 0},
    {"paddq", shape_SUM, 0},
    {"rdvl", shape_LENGTH_SUM, 1},
    {"sal", shape_SHIFT, 0},
    {"sbfiz", shape_SHIFT, 0},
    {"shl", shape_SHIFT, 0},
    {"shr", shape_RIGHT, 0},
    {"smaddl", shape_PRODUCT_SUM, 0},
    {"smull", shape_PRODUCT, 0},
    {"sub", shape_DIFFERENCE, 0},
    {"subs", shape_DIFFERENCE, 0},
    {"sxt4", shape_COPY, 0},
    {"sxtw", shape_COPY, 0},
    {"ubfiz", shape_SHIFT, 0},
    {"umaddl", shape_PRODUCT_SUM, 0},
    {"umull", shape_PRODUCT, 0},
    {"uxtw", shape_COPY, 0},
    {"vpaddd", shape_SUM, 0},
    {"vpaddq", shape_SUM, 0},
    {"xor", shape_ZERO, 0},
    {"zxt4", shape_COPY, 0},
};

static const struct word *find_word(const char *name)
{
    return bisect_named(words, sizeof words / sizeof *words, sizeof *words, name, strlen(name));
}

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

/* Registers that hold whole numbers of the instruction: general ones of 32 bits or more, or vectors. */
static bool is_whole_number(const struct subject *subject, const struct subject_item *item,
                            const struct operand *operand)
{
    enum { LEAST_BITS = 32 };
    if (operand->kind != operand_kind_REGISTER)
        return true;
    unsigned kind = model_register(subject->model, operand->register_)->kind;
    if (item->row->is_vector)
        return kind == register_kind_VECTOR;
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
    enum { MOST_SHIFT = 31 };
    return amount && amount->kind == operand_kind_IMMEDIATE && amount->value >= 0 &&
           amount->value <= MOST_SHIFT &&
           add_operand(sources, sources->read[0], INT64_C(1) << amount->value, result);
}

/* The number of elements in a vector, times the multiplier that the text may have; patterns other than all
   are not followed. */
static bool add_length(const struct sources *sources, const struct word *word, struct linear_result *result)
{
    unsigned bytes = sources->subject->machine->core.vector_bits / 8;
    int64_t multiplier = 1, sign = word->shape == shape_LENGTH_DOWN ? -1 : 1;
    const char *text = model_text(sources->subject->model, sources->item->row->text);
    if (!bytes || !text)
        return false;
    if (word->shape == shape_LENGTH_SUM) {
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
    result->constant = sign * multiplier * (int64_t)(bytes / word->element);
    if (word->shape != shape_LENGTH && sources->read_count && sources->read[0]->kind == operand_kind_REGISTER)
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

static bool fill(const struct sources *sources, const struct word *word, struct linear_result *result)
{
    const struct operand *const *read = sources->read;
    switch (word->shape) {
    case shape_COPY:
        return sources->read_count == 1 && add_all(sources, 1, result);
    case shape_SUM:
        return sources->read_count >= 2 && add_all(sources, 1, result);
    case shape_DIFFERENCE:
        return sources->read_count == 2 && add_all(sources, -1, result);
    case shape_NEGATION:
        return sources->read_count == 1 && add_all(sources, -1, result);
    case shape_STEP_UP:
    case shape_STEP_DOWN:
        result->constant = word->shape == shape_STEP_UP ? 1 : -1;
        return sources->read_count == 1 && add_all(sources, 1, result);
    case shape_SHIFT:
        return add_shifted(sources, result);
    case shape_PRODUCT:
    case shape_PRODUCT_SUM:
        return add_product(sources, 1, result);
    case shape_PRODUCT_DIFFERENCE:
        return add_product(sources, -1, result);
    case shape_ADDRESS:
        return add_address(sources, result);
    case shape_ZERO:
        return sources->read_count == 2 && read[0]->kind == operand_kind_REGISTER &&
               read[1]->kind == operand_kind_REGISTER && read[0]->register_ == read[1]->register_;
    case shape_AND:
        return add_folded(sources, fold_AND, result);
    case shape_OR:
        return add_folded(sources, fold_OR, result);
    case shape_RIGHT:
        return add_folded(sources, fold_RIGHT, result);
    case shape_LENGTH:
    case shape_LENGTH_UP:
    case shape_LENGTH_DOWN:
    case shape_LENGTH_SUM:
        return add_length(sources, word, result);
    default:
        return false;
    }
}

const struct operand *linear_stepped(const struct subject_item *item)
{
    const struct operand *memory = NULL;
    if (item->row->isa != isa_AARCH64 && item->row->isa != isa_IA64)
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
    const char *name = model_text(sources->subject->model, sources->item->row->name);
    const struct word *word = name ? find_word(name) : NULL;
    *result = (struct linear_result){0};
    if (!word || sources->is_odd)
        return 0;
    if (word->shape == shape_EXTEND) {
        if (!sources->item->use_count)
            return 0;
        result->resource = resource_of(sources, sources->item->uses[0].register_);
        add_register(result, result->resource, 1);
        return 1;
    }
    if (sources->written_count != 1 || !fill(sources, word, result))
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
