/* An instruction is made from its form's text and rows of operands, as if a reader had read it, and
   machine_cost_make computes its cost. Registers are those of the scalar instruction, whatever their kind: a
   value from a general register is in a vector then, but dependences only need a name for it. Invariant and
   new values have no name: they are always ready. */
#include "code/quality/vector/emit.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_FORM = 128, MOST_OPERANDS = 10, MOST_USES = 4 };

struct emission {
    char form[LONGEST_FORM];
    size_t length;
    struct operand operands[MOST_OPERANDS];
    unsigned operand_count, position;
};

static void append(struct emission *emission, const char *text)
{
    size_t length = strlen(text);
    if (emission->length + length >= LONGEST_FORM)
        length = LONGEST_FORM - 1 - emission->length;
    memcpy(emission->form + emission->length, text, length);
    emission->length += length;
    emission->form[emission->length] = 0;
}

static void append_letter(struct emission *emission, char letter)
{
    append(emission, (char[]){letter, 0});
}

/* Place of 8, 16, 32, 64 bits among elements. */
static unsigned element_place(unsigned bits)
{
    return bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
}

/* Of 64, 128, 256, 512 bits among lengths. */
static unsigned length_place(unsigned bits)
{
    return bits <= 64 ? 0 : bits <= 128 ? 1 : bits <= 256 ? 2 : 3;
}

unsigned vector_total(const struct vector_maker *maker, unsigned bits)
{
    unsigned total = maker->iterations * bits;
    return total < maker->bits ? total : maker->bits;
}

unsigned vector_copies(const struct vector_maker *maker, unsigned bits)
{
    unsigned total = maker->iterations * bits;
    return total <= maker->bits ? 1 : (total + maker->bits - 1) / maker->bits;
}

static void append_register(struct emission *emission, const struct vector_dialect *dialect, unsigned bits,
                            unsigned element)
{
    const char *word = dialect->registers[length_place(bits)][element_place(element)];
    append(emission, word ? word : "?");
}

static void append_memory(struct emission *emission, unsigned bits)
{
    char word[16];
    snprintf(word, sizeof word, "m%u", bits);
    append(emission, word);
}

static void add_register(struct emission *emission, uint32_t row, unsigned access)
{
    if (emission->operand_count == MOST_OPERANDS || !access)
        return;
    emission->operands[emission->operand_count++] = (struct operand){.position = (uint8_t)emission->position,
                                                                     .kind = operand_kind_REGISTER,
                                                                     .access = (uint8_t)access,
                                                                     .register_ = row};
}

static void add_memory(struct emission *emission, const struct operand *memory, unsigned bits, bool stores)
{
    if (emission->operand_count == MOST_OPERANDS)
        return;
    struct operand *operand = &emission->operands[emission->operand_count++];
    *operand = *memory;
    operand->position = (uint8_t)emission->position;
    operand->access = stores ? access_WRITE : access_READ;
    operand->bits = (uint16_t)bits;
}

/* If the scalar instruction steps its base, its replacement does too. */
static unsigned find_steps(const struct subject_item *item, const struct operand *memory,
                           struct register_use uses[MOST_USES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < item->use_count && count < MOST_USES; i++)
        if (item->uses[i].is_address && item->uses[i].access & access_WRITE &&
            item->uses[i].register_ == memory->base_register)
            uses[count++] = item->uses[i];
    return count;
}

static uint8_t code_size(const struct vector_maker *maker, const struct subject_item *item)
{
    const struct vector_dialect *dialect = maker->dialect;
    if (dialect->size)
        return dialect->size;
    return item->row->size > dialect->least_size ? item->row->size : dialect->least_size;
}

static bool finish(struct vector_maker *maker, unsigned item, struct emission *emission,
                   struct machine_made *made, const struct operand *memory)
{
    const struct subject_item *row = &maker->subject->items[item];
    struct register_use uses[MOST_USES];
    made->name = "vector";
    made->form = emission->form;
    made->size = code_size(maker, row);
    made->operands = emission->operands;
    made->operand_count = emission->operand_count;
    made->uses = uses;
    made->use_count = memory && !maker->dialect->has_simple_addresses ? find_steps(row, memory, uses) : 0;
    const struct machine_cost *cost = machine_cost_make(maker->made, made);
    if (cost)
        altered_put(maker->altered, cost, item);
    return cost;
}

/* ? and !, and what is before or after |. */
static void append_name(struct emission *emission, const struct vector_maker *maker, const char *name,
                        unsigned element, unsigned bits)
{
    const struct vector_dialect *dialect = maker->dialect;
    const char *other = strchr(name, '|');
    if (other && dialect->is_second)
        name = other + 1;
    append(emission, dialect->prefix);
    for (; *name && *name != '|'; name++) {
        char letter = dialect->letters[element_place(element)];
        if (*name == '?')
            append_letter(emission, letter);
        else if (*name != '!')
            append_letter(emission, *name);
        else if (bits > 256)
            append_letter(emission, element > 32 ? 'q' : 'd');
    }
    append(emission, " ");
}

static void append_mask(struct emission *emission, const struct vector_dialect *dialect, const char *mask,
                        unsigned bits, unsigned element)
{
    if (!mask) {
        append_register(emission, dialect, bits, element);
        return;
    }
    for (; *mask; mask++) {
        if (mask[0] == '%' && mask[1] == 's') {
            append_letter(emission, dialect->letters[element_place(element)]);
            mask++;
        } else {
            append_letter(emission, *mask);
        }
    }
}

static void append_source(struct emission *emission, const struct vector_maker *maker,
                          const struct vector_arithmetic *arithmetic, unsigned source, unsigned element)
{
    const struct vector_value *value = &arithmetic->sources[source];
    unsigned bits = vector_total(maker, value->bits);
    if (value->memory) {
        append_memory(emission, bits);
        add_memory(emission, value->memory, bits, false);
        return;
    }
    append_register(emission, maker->dialect, bits, element ? element : value->element);
    add_register(emission, source < arithmetic->source_count ? value->row : 0, access_READ);
}

/* One letter of a spelling. */
static void append_operand(struct emission *emission, const struct vector_maker *maker,
                           const struct vector_arithmetic *arithmetic, char letter)
{
    const struct vector_dialect *dialect = maker->dialect;
    bool is_logic =
        arithmetic->shape == shape_LOGIC || (arithmetic->shape == shape_SELECT && dialect->selects_bits);
    unsigned logic = is_logic ? dialect->logic_element : 0;
    unsigned element = logic ? logic : arithmetic->result.element;
    unsigned bits = vector_total(maker, arithmetic->result.bits);
    emission->position++;
    switch (letter) {
    case 'X':
        add_register(emission, arithmetic->sources[0].row, access_READ);
        /* fall through */
    case 'R':
        append_register(emission, dialect, bits, element);
        add_register(emission, arithmetic->result.row, access_WRITE);
        break;
    case 'M':
        append_mask(emission, dialect, dialect->mask, bits, arithmetic->sources[0].element);
        add_register(emission, arithmetic->result.row, access_WRITE);
        break;
    case 'K':
        append_mask(emission, dialect, dialect->read_mask, bits, element);
        add_register(emission, arithmetic->mask, access_READ);
        break;
    case 'I':
        append(emission, dialect->immediate);
        break;
    case 'P':
        append(emission, dialect->merging);
        break;
    case 'Z':
        append(emission, dialect->zeroing);
        break;
    default:
        append_source(emission, maker, arithmetic, (unsigned)(letter - 'A'), logic);
    }
}

bool vector_emit(struct vector_maker *maker, unsigned item, const struct vector_arithmetic *arithmetic)
{
    const struct vector_value *last = NULL;
    for (unsigned i = 0; i < arithmetic->source_count; i++)
        if (arithmetic->sources[i].memory)
            last = &arithmetic->sources[i];
    for (unsigned k = 0; k < MOST_VECTOR_SPELLINGS; k++) {
        const char *spelling = maker->dialect->spellings[arithmetic->shape][k];
        struct emission emission = {0};
        if (!spelling)
            break;
        append_name(&emission, maker, arithmetic->name, arithmetic->sources[0].element,
                    vector_total(maker, arithmetic->sources[0].bits));
        for (; *spelling; spelling++)
            if (*spelling == ',')
                append(&emission, ",");
            else
                append_operand(&emission, maker, arithmetic, *spelling);
        struct machine_made made = {.class = arithmetic->class};
        if (last)
            made.load_bytes = (uint16_t)(vector_total(maker, last->bits) / 8);
        if (finish(maker, item, &emission, &made, last ? last->memory : NULL))
            return true;
    }
    return false;
}

/* The address as the scalar's form has it, from its bracket on. */
static void append_address(struct emission *emission, const struct vector_maker *maker, unsigned item,
                           unsigned narrow)
{
    const char *form = model_text(maker->subject->model, maker->subject->items[item].row->form);
    const char *address = form ? strchr(form, '[') : NULL;
    if (!address)
        address = "[x]";
    if (!maker->dialect->has_simple_addresses)
        append(emission, address);
    else if (strncmp(address, "[x,", 3) != 0)
        append(emission, "[x]");
    else
        append(emission, narrow > 8 ? "[x,x,lsl]" : "[x,x]");
}

static void expand(struct emission *emission, const struct vector_maker *maker, unsigned item,
                   const struct vector_whole *whole)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned narrow_bits = whole->wide ? whole->bits / whole->wide * whole->narrow : whole->bits;
    const char *letters =
        whole->memory && dialect->memory_letters ? dialect->memory_letters : dialect->letters;
    for (const char *at = whole->form; *at; at++) {
        if (*at != '%') {
            append_letter(emission, *at);
            continue;
        }
        switch (*++at) {
        case 'r':
            append_register(emission, dialect, narrow_bits, whole->narrow);
            break;
        case 'w':
            append_register(emission, dialect, whole->bits, whole->wide);
            break;
        case 's':
            append_letter(emission, letters[element_place(whole->narrow)]);
            break;
        case 'e':
            append_letter(emission, letters[element_place(whole->wide)]);
            break;
        case 'm':
            append_memory(emission, whole->bytes * 8);
            break;
        default:
            append_address(emission, maker, item, whole->narrow);
        }
    }
}

static bool is_memory_word(const char *word)
{
    return *word == '[' || (*word == 'm' && word[1] >= '0' && word[1] <= '9') ||
           (*word == 'v' && word[1] && word[2] == ',') || (*word == 'v' && word[1] && !word[2]);
}

static bool is_register_word(const char *word)
{
    return *word != 'i' && *word != 'p' && !(*word == 'k' && word[1] == ',');
}

/* The next operand of a form's text, past commas that are not within brackets; NULL at the end. */
static const char *next_word(const char *word)
{
    int depth = 0;
    for (; *word; word++) {
        depth += *word == '[' || *word == '{';
        depth -= *word == ']' || *word == '}';
        if (*word == ',' && !depth)
            return word + 1;
    }
    return NULL;
}

static void add_words(struct emission *emission, const struct vector_whole *whole)
{
    unsigned registers = 0, seen = 0;
    const char *first = strchr(emission->form, ' ');
    for (const char *word = first ? first + 1 : NULL; word; word = next_word(word))
        registers += !is_memory_word(word) && is_register_word(word);
    for (const char *word = first ? first + 1 : NULL; word; word = next_word(word)) {
        emission->position++;
        if (is_memory_word(word)) {
            if (whole->memory)
                add_memory(emission, whole->memory, whole->bytes * 8, whole->stores);
        } else if (is_register_word(word)) {
            bool writes = !seen++ && !whole->stores;
            if (!writes || (registers == 1 && whole->read))
                add_register(emission, whole->read, access_READ);
            if (writes)
                add_register(emission, whole->written, access_WRITE);
        }
    }
}

/* If accesses cannot step their addresses, an addition does it. */
static bool emit_steps(struct vector_maker *maker, unsigned item, const struct operand *memory)
{
    struct register_use uses[MOST_USES];
    unsigned count = find_steps(&maker->subject->items[item], memory, uses);
    for (unsigned i = 0; i < count; i++) {
        struct vector_whole add = {
            .form = "add x,x,i", .class = class_ADD, .written = uses[i].register_, .read = uses[i].register_};
        if (!vector_emit_whole(maker, item, &add))
            return false;
    }
    return true;
}

bool vector_emit_whole(struct vector_maker *maker, unsigned item, const struct vector_whole *whole)
{
    struct emission emission = {0};
    struct machine_made made = {.class = whole->class};
    if (!whole->form)
        return false;
    expand(&emission, maker, item, whole);
    add_words(&emission, whole);
    if (whole->memory && whole->stores)
        made.store_bytes = (uint16_t)whole->bytes;
    else if (whole->memory)
        made.load_bytes = (uint16_t)whole->bytes;
    if (!finish(maker, item, &emission, &made, whole->memory))
        return false;
    return !whole->memory || !maker->dialect->has_simple_addresses || emit_steps(maker, item, whole->memory);
}
