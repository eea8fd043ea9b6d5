/* What an instruction does, from its rule and its operands.

   The rules (aarch64/rules.def) know mnemonics; the operands decide the rest:
   - a predicate governs if it has /m or /z, or no suffix and is not the result; /m makes the
     destination read, written, and written only where the predicate holds;
   - a destination that is one lane, or a part of the matrix, keeps the rest of its register;
   - orr and bic with a constant work in place, and so does a sum of one list into the matrix;
   - the registers of a list take the same letter of the rule;
   - moves of lanes and broadcasts are shuffles, and moves, logic and shuffles of predicates are class mask;
   - a vector in the address makes a load a gather and a store a scatter.

   Registers that every floating-point instruction reads or writes in principle (fpcr, fpsr) count only if the
   text names them.  The tiles of the matrix za are one register.  A whole vector register q in a load or
   store counts as a vector of unknown elements. */
#include "code/read/aarch64/meaning.h"
#include "model/elements.h"
#include "code/read/aarch64/registers.h"
#include "code/read/aarch64/rules.h"
#include <string.h>

static const struct aarch64_rule unknown_rule = {
    .pattern = "wr", .implicit = "", .class = class_OTHER, .numbers = 'n', .memory = access_READ};

struct context {
    const char *name;
    const struct aarch64_rule *rule;
    struct aarch64_parsed *parsed;
    struct description *description;
    unsigned memory;    /* index of the first memory operand; count for none */
    bool is_masked;     /* has a governing predicate */
    bool is_merging;    /* /m */
    bool selects_slice; /* psel: predicates are data */
};

static struct aarch64_operand *operand_at(const struct context *context, unsigned index)
{
    return &context->parsed->operands[index];
}

static bool is_register(const struct aarch64_operand *operand)
{
    return operand->row.kind == operand_kind_REGISTER;
}

static bool is_governing(const struct context *context, unsigned index)
{
    const struct aarch64_operand *operand = operand_at(context, index);
    if (operand->file != 'p' || operand->is_lane || context->selects_slice)
        return false;
    if (operand->predication)
        return true;
    return operand->lane_bits == 0 && (index > 0 || strcmp(context->name, "ptest") == 0);
}

static void add_use(struct description *description, unsigned number, uint8_t access, bool keeps_rest,
                    bool is_conditional, bool is_address)
{
    if (number == 0 || number == REGISTER_XZR || number == REGISTER_WZR || access == access_NONE)
        return;
    struct register_use *use = description_use(description, number);
    if (!use)
        return;
    use->access |= access;
    use->keeps_rest |= keeps_rest;
    use->is_conditional |= is_conditional;
    use->is_address |= is_address;
}

static void survey(struct context *context)
{
    struct aarch64_parsed *parsed = context->parsed;
    context->memory = parsed->count;
    for (unsigned i = 0; i < parsed->count; i++) {
        struct aarch64_operand *operand = operand_at(context, i);
        if (operand->row.kind == operand_kind_MEMORY && context->memory == parsed->count)
            context->memory = i;
        if (operand->file == 'p' && operand->slice_register)
            context->selects_slice = true;
    }
    for (unsigned i = 0; i < parsed->count; i++) {
        context->is_masked |= is_governing(context, i);
        context->is_merging |= operand_at(context, i)->predication == 'm';
    }
}

/* Whether nothing but one list follows. */
static bool is_one_list(const struct context *context, unsigned first)
{
    unsigned index = first;
    while (index < context->parsed->count && operand_at(context, index)->is_followed)
        index++;
    return index > first && index + 1 == context->parsed->count;
}

/* Whether the constant is combined with the old value of the register (orr v0.4s, #1). */
static bool works_in_place(const struct context *context)
{
    if (context->rule->class == class_ADD && operand_at(context, 0)->slice_register)
        return is_one_list(context, 1); /* fadd za.s[w8, 0, vgx2], {z0.s, z1.s} adds to the matrix */
    return context->rule->class == class_LOGIC && context->parsed->count == 2 &&
           operand_at(context, 0)->file == 'v' && operand_at(context, 1)->row.kind == operand_kind_IMMEDIATE;
}

static uint8_t access_of_letter(char letter)
{
    return letter == 'w' ? access_WRITE : letter == 'b' ? access_BOTH : access_READ;
}

static void derive_register_access(struct context *context, unsigned index, char letter)
{
    struct aarch64_operand *operand = operand_at(context, index);
    uint8_t access = access_of_letter(letter);
    bool keeps_rest = false, is_conditional = false;
    if (is_governing(context, index) || index > context->memory)
        access = operand->writes_back ? access_BOTH : access_READ;
    if (access & access_WRITE) {
        is_conditional = context->is_merging;
        keeps_rest =
            operand->is_lane || (operand->file == 'a' && operand->lane_bits + operand->slice_register);
        if (is_conditional || operand->is_lane || works_in_place(context))
            access = access_BOTH;
    }
    operand->row.access = access;
    operand->row.is_conditional = is_conditional;
    add_use(context->description, operand->row.register_, access, keeps_rest, is_conditional, false);
    add_use(context->description, operand->slice_register, access_READ, false, false, false);
}

static void derive_address(struct context *context, struct aarch64_operand *operand, uint8_t access)
{
    uint8_t base = operand->writes_back ? access_BOTH : access_READ;
    add_use(context->description, operand->row.base_register, base, false, false, true);
    add_use(context->description, operand->row.index_register, access_READ, false, false, true);
    operand->row.access = access;
    operand->row.is_conditional = context->is_masked && access != access_NONE;
    if (access == access_NONE)
        operand->row.kind = operand_kind_ADDRESS;
}

static void derive_target(struct context *context, struct aarch64_operand *operand)
{
    uint8_t class = context->rule->class;
    if (class == class_LOAD) {
        operand->row.kind = operand_kind_MEMORY;
        operand->row.access = access_READ;
    } else if (class == class_ADDRESS || class == class_PREFETCH) {
        operand->row.kind = operand_kind_ADDRESS;
    }
}

/* Copies name the destination first and the source second. */
static uint8_t memory_access(const struct context *context, unsigned index)
{
    if (context->rule->class == class_STRING && context->rule->memory == access_BOTH)
        return index == context->memory ? access_WRITE : access_READ;
    return context->rule->memory;
}

static void derive_accesses(struct context *context)
{
    const char *letter = context->rule->pattern;
    for (unsigned i = 0; i < context->parsed->count; i++) {
        struct aarch64_operand *operand = operand_at(context, i);
        bool takes_letter = false;
        switch (operand->row.kind) {
        case operand_kind_REGISTER:
            takes_letter = !is_governing(context, i) && context->rule->class != class_STRING;
            derive_register_access(context, i, *letter);
            break;
        case operand_kind_MEMORY:
            derive_address(context, operand, memory_access(context, i));
            break;
        case operand_kind_TARGET:
            derive_target(context, operand);
            break;
        case operand_kind_IMMEDIATE:
            operand->row.access = access_READ;
            break;
        default: /* the name of a system register, a condition, a pattern */
            takes_letter = true;
            if (context->rule->class == class_SYSTEM)
                operand->row.access = access_of_letter(*letter);
        }
        if (takes_letter && letter[1] && !operand->is_followed)
            letter++;
    }
}

static void add_range(struct description *description, unsigned first, unsigned count, uint8_t access)
{
    for (unsigned i = 0; i < count; i++)
        add_use(description, first + i, access, false, false, false);
}

/* "x30=b sp=r" */
static void add_implicit(struct description *description, const char *implicit)
{
    while (*implicit) {
        size_t length = strcspn(implicit, "=");
        add_use(description, aarch64_find_register(implicit, length), access_of_letter(implicit[length + 1]),
                false, false, false);
        implicit += length + 2;
        implicit += *implicit == ' ';
    }
}

/* The last register before the address: what is loaded or stored. */
static const struct aarch64_operand *data_register(const struct context *context)
{
    const struct aarch64_operand *data = NULL;
    for (unsigned i = 0; i < context->parsed->count && i < context->memory; i++)
        if (is_register(operand_at(context, i)) && !is_governing(context, i))
            data = operand_at(context, i);
    return data;
}

static void derive_other_uses(struct context *context)
{
    struct description *description = context->description;
    const char *name = context->name;
    add_implicit(description, context->rule->implicit);
    add_use(description, REGISTER_NZCV, context->rule->nzcv, false, false, false);
    if (strcmp(name, "ret") == 0 && context->parsed->count == 0)
        add_use(description, REGISTER_X + 30, access_READ, false, false, false);
    if (strstr(description->text, ", rndr")) /* a random number: the flags say whether one was available */
        add_use(description, REGISTER_NZCV, access_WRITE, false, false, false);
    if (strncmp(name, "ldff1", 5) == 0 || strncmp(name, "ldnf1", 5) == 0)
        add_use(description, REGISTER_FFR, access_BOTH, false, false, false);
    if (context->rule->traits & RULE_EIGHT) {
        const struct aarch64_operand *data = data_register(context);
        if (data && data->file == 'x' && data->row.register_ + 7 < REGISTER_SP)
            add_range(description, data->row.register_, 8, data->row.access);
    }
    if (strncmp(name, "smst", 4) == 0) {
        bool is_matrix = context->parsed->count == 1 && operand_at(context, 0)->file == 'a';
        if (!is_matrix) {
            add_range(description, REGISTER_Z, 32, access_WRITE);
            add_range(description, REGISTER_P, 16, access_WRITE);
            add_use(description, REGISTER_FFR, access_WRITE, false, false, false);
        }
        if (is_matrix || context->parsed->count == 0)
            add_use(description, REGISTER_ZA, access_WRITE, false, false, false);
    }
}

static void derive_vector(struct context *context)
{
    struct encoding *encoding = &context->description->encoding;
    for (unsigned i = 0; i < context->parsed->count; i++) {
        const struct aarch64_operand *operand = operand_at(context, i);
        bool is_memory = !is_register(operand) && operand->row.base_register;
        uint16_t bits = 0;
        if (operand->file == 'v' && operand->lane_count && !operand->is_lane)
            bits = operand->row.bits;
        if (operand->file == 'q' && context->rule->traits & RULE_MEMORY)
            bits = 128;
        if ((operand->file == 'z' && !operand->is_lane) ||
            (operand->file == 'a' && context->rule->class != class_SYSTEM) ||
            (is_memory && operand->lane_bits))
            bits = 128;
        encoding->is_scalable |= operand->file == 'z' || operand->file == 'p' || operand->file == 'a' ||
                                 (is_memory && operand->lane_bits);
        if (bits > encoding->vector_bits)
            encoding->vector_bits = bits;
    }
    encoding->is_vector = encoding->vector_bits > 0;
    encoding->is_masked = context->is_masked;
}

static bool has_lane(const struct context *context)
{
    for (unsigned i = 0; i < context->parsed->count; i++)
        if (operand_at(context, i)->is_lane)
            return true;
    return false;
}

static bool is_broadcast(const struct context *context)
{
    if (context->parsed->count < 2 || operand_at(context, 0)->file != 'z')
        return false;
    const struct aarch64_operand *source = operand_at(context, context->parsed->count - 1);
    return is_register(source) && source->file && strchr("xwbhsdq", source->file);
}

static uint8_t derive_class(const struct context *context)
{
    uint8_t class = context->rule->class;
    bool has_vector_address = false;
    for (unsigned i = context->memory; i < context->parsed->count; i++)
        has_vector_address |= operand_at(context, i)->row.base_register && operand_at(context, i)->lane_bits;
    if (class == class_LOAD && has_vector_address)
        return class_GATHER;
    if (class == class_STORE && has_vector_address)
        return class_SCATTER;
    if (class == class_BIT && strncmp(context->name, "rev", 3) == 0 &&
        context->description->encoding.is_vector)
        return class_SHUFFLE;
    if (class == class_MOVE && (has_lane(context) || is_broadcast(context)))
        return class_SHUFFLE;
    if ((class == class_MOVE || class == class_LOGIC || class == class_SHUFFLE || class == class_BIT) &&
        context->parsed->count > 0 && operand_at(context, 0)->file == 'p')
        return class_MASK;
    return class;
}

static unsigned number_bits(const struct aarch64_operand *operand)
{
    if (operand->lane_bits)
        return operand->lane_bits;
    return operand->file && strchr("xwbhsdq", operand->file) ? operand->row.bits : 0;
}

/* The operand that gives the width of the numbers. */
static const struct aarch64_operand *numbers_operand(const struct context *context)
{
    const struct aarch64_operand *found = NULL;
    char numbers = context->rule->numbers;
    if (context->rule->traits & RULE_MEMORY)
        return data_register(context);
    for (unsigned i = 0; i < context->parsed->count; i++) {
        const struct aarch64_operand *operand = operand_at(context, i);
        if (!is_register(operand) || number_bits(operand) == 0)
            continue;
        bool is_general = operand->file == 'x' || operand->file == 'w';
        if (!found || numbers == 'I' || numbers == 'F' ||
            (numbers == 'f' && !is_general && (found->file == 'x' || found->file == 'w')))
            found = operand;
    }
    return found;
}

static uint8_t derive_element(const struct context *context)
{
    char numbers = context->rule->numbers;
    const struct aarch64_operand *operand = numbers_operand(context);
    if (numbers == 'b' && operand && number_bits(operand) != 8) /* bfcvt z0.b, {…} gives eight bits */
        return element_BF16;
    if (numbers == 'n' || numbers == 'b' || !operand || context->description->encoding.class == class_MASK)
        return element_NONE;
    unsigned bits = number_bits(operand);
    if (numbers == 'f' || numbers == 'F')
        return element_float(bits);
    if (numbers == 'd' && strchr("hsd", operand->file))
        return element_float(bits);
    if (numbers == 'd' && operand->file == 'q')
        return element_NONE;
    unsigned bytes = context->rule->bytes;
    return element_integer(bytes > 0 && bytes <= 8 ? bytes * 8 : bits);
}

/* The width that the last letter of a name says: sxtb, cnth, incw, decd. */
static unsigned bits_of_letter(const char *name)
{
    char letter = name[strlen(name) - 1];
    return letter == 'b' ? 8 : letter == 'h' ? 16 : letter == 'w' ? 32 : 64;
}

/* The lanes of the last operand that has any: z1.s, v1.2s, v1.s[0]. */
static unsigned last_lane_bits(const struct context *context)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < context->parsed->count; i++)
        if (operand_at(context, i)->lane_bits && operand_at(context, i)->lane_bits <= 64)
            bits = operand_at(context, i)->lane_bits;
    return bits;
}

static uint8_t derive_source_element(const struct context *context)
{
    const struct encoding *encoding = &context->description->encoding;
    bool converts = encoding->class == class_CONVERT;
    bool is_real =
        converts ? strchr("fb", context->name[0]) != NULL : element_is_fp((enum element)encoding->element);
    unsigned bits = 0;
    switch (encoding->operation) {
    case operation_EXTEND:
    case operation_LENGTH:
    case operation_ADD_LENGTH:
    case operation_SUBTRACT_LENGTH:
        return element_integer(bits_of_letter(context->name));
    case operation_ADD_LENGTHS:
        return element_INT8;
    default:
        break;
    }
    if (encoding->is_vector)
        bits = last_lane_bits(context);
    else if (converts && context->parsed->count > 1)
        bits = operand_at(context, 1)->row.bits;
    if (!bits || (encoding->element == element_BF16 && !converts))
        return encoding->element;
    if (converts && context->name[0] == 'b' && bits == 16)
        return element_BF16;
    return (uint8_t)(is_real ? element_float(bits) : element_integer(bits));
}

/* Bytes in memory for one data register. */
static unsigned bytes_for_register(const struct context *context, const struct aarch64_operand *data)
{
    const struct aarch64_rule *rule = context->rule;
    if (rule->traits & RULE_REPLICATES)
        return rule->bytes ? rule->bytes : data->lane_bits / 8u;
    if ((data->file == 'z' || data->file == 'a') && data->lane_bits && rule->bytes)
        return 128u / data->lane_bits * rule->bytes;
    return rule->bytes ? rule->bytes : data->row.bits / 8u;
}

static unsigned bytes_in_memory(const struct context *context)
{
    const struct aarch64_rule *rule = context->rule;
    const struct aarch64_operand *data = data_register(context);
    unsigned registers = 0;
    if (!(rule->traits & RULE_MEMORY) || rule->traits & RULE_TAGS || rule->memory == access_NONE)
        return 0;
    if (rule->class == class_STRING || rule->traits & RULE_EIGHT)
        return rule->bytes;
    if (!data)
        return 0;
    for (unsigned i = 0; i < context->parsed->count && i < context->memory; i++)
        registers += is_register(operand_at(context, i)) && !is_governing(context, i);
    if (rule->class == class_ATOMIC)
        registers = rule->traits & RULE_PAIR ? 2 : 1;
    return registers * bytes_for_register(context, data);
}

/* Widths of operands without their own: memory, and constants, which are as wide as the first register. */
static void derive_widths(struct context *context, unsigned bytes)
{
    uint16_t bits = 0;
    for (unsigned i = context->parsed->count; i-- > 0;)
        if (is_register(operand_at(context, i)) && operand_at(context, i)->file != 'p')
            bits = (uint16_t)(operand_at(context, i)->lane_bits ? operand_at(context, i)->lane_bits
                                                                : operand_at(context, i)->row.bits);
    for (unsigned i = 0; i < context->parsed->count; i++) {
        struct operand *row = &operand_at(context, i)->row;
        if (row->kind == operand_kind_MEMORY)
            row->bits = (uint16_t)(bytes * 8);
        if (row->kind == operand_kind_IMMEDIATE)
            row->bits = i > context->memory ? 64 : bits; /* the offset of a base is as wide as the base */
    }
}

/* fmadd names it last, fmad too; all others accumulate in their first operand, except ftmad, which adds a
   constant from a table. */
static uint8_t derive_addend(const struct context *context)
{
    unsigned count = context->parsed->count;
    size_t length = strlen(context->name), tail = !strcmp(context->name, "madpt") ? 5 : 3;
    const char *end = context->name + (length > tail ? length - tail : 0);
    if (context->rule->class != class_FMA || !count)
        return 0;
    if (context->rule->pattern[0] == 'w' || !strncmp(end, "mad", 3) || !strcmp(end, "msb"))
        return (uint8_t)(is_register(operand_at(context, count - 1)) ? count : 0);
    return 1;
}

/* ldnp, stnp, ldnt1, stnt1. */
static bool is_non_temporal(const struct context *context)
{
    const char *name = context->name;
    return context->rule->traits & RULE_MEMORY && (!strncmp(name, "ld", 2) || !strncmp(name, "st", 2)) &&
           (!strncmp(name + 2, "np", 2) || !strncmp(name + 2, "nt1", 3));
}

void aarch64_derive_meaning(const char *name, struct aarch64_parsed *parsed, struct description *description)
{
    struct aarch64_rows rows = aarch64_find(name);
    struct context context = {.name = name,
                              .rule = rows.rule ? rows.rule : &unknown_rule,
                              .parsed = parsed,
                              .description = description};
    struct encoding *encoding = &description->encoding;
    survey(&context);
    derive_vector(&context);
    encoding->class = derive_class(&context);
    encoding->flow = context.rule->flow;
    encoding->element = derive_element(&context);
    encoding->operation =
        (context.rule->traits & RULE_REPLICATES) ? operation_BROADCAST : rows.action->operation;
    encoding->condition = rows.action->condition;
    encoding->source_element = derive_source_element(&context);
    encoding->addend = derive_addend(&context);
    encoding->is_non_temporal = is_non_temporal(&context);
    encoding->extends_sign = (context.rule->traits & RULE_SIGN) != 0;
    unsigned bytes = bytes_in_memory(&context);
    if (context.rule->memory & access_READ)
        encoding->load_bytes = (uint16_t)bytes;
    if (context.rule->memory & access_WRITE)
        encoding->store_bytes = (uint16_t)bytes;
    derive_accesses(&context);
    derive_other_uses(&context);
    derive_widths(&context, bytes);
    description->operand_count = parsed->count;
    for (unsigned i = 0; i < parsed->count; i++)
        description->operands[i] = parsed->operands[i].row;
}
