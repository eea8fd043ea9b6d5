/* What is assumed about an instruction without a form in the machine file, and when it counts as missing.

   Assumed figures are the least that such an instruction can take: a µop for what it computes, fused
   with its load where it has one, and one for its store; on any port that does not serve memory; latencies by
   class, as the head of the file gives them.  Coverage counts it as unknown.

   An instruction is missing if the file says so, or if its vectors are longer or its registers more than the
   machine's.  In a complete table it is also missing if no form has its mnemonic, if no form of its mnemonic
   has one of its kinds of operands, or if no form at all has such operands. */
#include "base/strings.h"
#include "code/machine/resolve_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORD = 64 };

/* A shape of plain loads or stores: kinds of the register and of the memory, and its shortest latency. */
struct cost_plain {
    char shape[24]; /* "xmm,m128"; ",m128" for any register */
    float cycles;
};

static struct cost_plain *plain_of(const struct machine_costs *costs, const char *shape)
{
    for (size_t i = 0; i < costs->plain.count; i++)
        if (!strcmp(ARRAY_AT(struct cost_plain, &costs->plain, i)->shape, shape))
            return ARRAY_AT(struct cost_plain, &costs->plain, i);
    return NULL;
}

/* The first two operands of a form, with the comma; false where there are no two, or a mask. */
static bool shape_of(const char *form, char shape[24])
{
    const char *start = strchr(form, ' ');
    const char *comma = start ? strchr(start, ',') : NULL;
    if (!comma)
        return false;
    size_t length = (size_t)(comma - start) + strcspn(comma + 1, ",");
    if (length >= 24 || length < 3)
        return false;
    memcpy(shape, start + 1, length);
    shape[length] = 0;
    return true;
}

static void note_plain(struct machine_costs *costs, const char *shape, float cycles)
{
    enum { MOST_PLAIN = 128 };
    struct cost_plain *plain = plain_of(costs, shape);
    if (!plain) {
        if (costs->plain.count == MOST_PLAIN)
            return;
        plain = array_add(&costs->plain);
        *plain = (struct cost_plain){.cycles = cycles};
        strcpy(plain->shape, shape);
    }
    plain->cycles = cycles < plain->cycles ? cycles : plain->cycles;
}

static bool has_only(const struct machine *machine, const struct machine_form *form, uint32_t ports)
{
    for (unsigned i = 0; i < form->ports.count; i++)
        if (ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first + i)->ports & ~ports)
            return false;
    return form->ports.count;
}

/* A form of two operands whose µops go to no port but those of loads is a plain load, and so with stores; of
   each shape the shortest counts. */
void resolve_find_plain(struct machine_costs *costs)
{
    const struct machine *machine = costs->machine;
    costs->plain = ARRAY_OF(struct cost_plain);
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        const char *start = strchr(form->text, ' '), *comma = start ? strchr(start, ',') : NULL;
        char shape[24];
        if (!comma || form->is_missing || !shape_of(form->text, shape))
            continue;
        bool loads = has_only(machine, form, machine->core.load_ports);
        bool stores =
            !loads && has_only(machine, form, machine->core.store_ports | machine->core.address_ports);
        if (!loads && !stores)
            continue;
        double cycles = loads ? form_latency(machine, form, slot_ADDRESS, 1)
                              : form_latency(machine, form, 2, slot_MEMORY);
        if (isnan(cycles))
            continue;
        note_plain(costs, shape, (float)cycles);
        if (loads)
            note_plain(costs, strchr(shape, ','), (float)cycles);
    }
}

double resolve_plain_load(const struct machine_costs *costs, const char *form)
{
    char shape[24];
    const char *start = strchr(form, ' ');
    bool is_first = start && start[1] == 'm' && start[2] >= '0' && start[2] <= '9'; /* shapes of stores */
    const struct cost_plain *plain = !is_first && shape_of(form, shape) ? plain_of(costs, shape) : NULL;
    if (!plain && start) { /* memory comes first, or stands alone */
        size_t length = strcspn(start + 1, ",");
        if (length > 20 || start[1] != 'm')
            return NAN;
        shape[0] = ',';
        memcpy(shape + 1, start + 1, length);
        shape[length + 1] = 0;
        plain = plain_of(costs, shape);
    }
    return plain ? plain->cycles : NAN;
}

double resolve_plain_store(const struct machine_costs *costs, const char *form)
{
    char shape[24];
    const struct cost_plain *plain = shape_of(form, shape) ? plain_of(costs, shape) : NULL;
    return plain ? plain->cycles : NAN;
}

static double class_latency(const struct cost_instruction *instruction, unsigned class)
{
    const struct encoding *encoding = instruction->encoding;
    if (encoding->class >= class_COUNT || encoding->element >= element_COUNT)
        return 1;
    return instruction->costs->machine->latency[class][encoding->element][encoding->is_vector != 0];
}

double resolve_assumed_latency(const struct cost_instruction *instruction, bool is_loaded)
{
    unsigned class = instruction->encoding->class;
    double load = is_loaded ? class_latency(instruction, class_LOAD) : 0;
    if (class == class_LOAD || class == class_POP || class == class_STORE || class == class_PUSH)
        return is_loaded ? load : 1;
    return load + class_latency(instruction, class);
}

static bool computes(unsigned class)
{
    return class != class_LOAD && class != class_STORE && class != class_PUSH && class != class_POP &&
           class != class_NOP && class != class_PREFETCH && class != class_FENCE;
}

void resolve_assume(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct machine *machine = instruction->costs->machine;
    const struct machine_core *core = &machine->core;
    const struct encoding *encoding = instruction->encoding;
    struct form_ports *ports = arena_get(&instruction->costs->rows, 4 * sizeof *ports);
    bool works = computes(encoding->class), loads = encoding->load_bytes, stores = encoding->store_bytes;
    uint32_t all = machine->port_count < 32 ? (1U << machine->port_count) - 1 : UINT32_MAX;
    uint32_t others = all & ~(core->load_ports | core->address_ports | core->store_ports);
    unsigned count = 0;
    if (works && others)
        ports[count++] = (struct form_ports){others, 1};
    if (loads && core->load_ports)
        ports[count++] = (struct form_ports){core->load_ports, 1};
    if (stores && core->address_ports)
        ports[count++] = (struct form_ports){core->address_ports, 1};
    if (stores && core->store_ports)
        ports[count++] = (struct form_ports){core->store_ports, 1};
    cost->ports = ports;
    cost->port_count = count;
    cost->fused = cost->decoded = (uint16_t)(((works || loads) ? 1 : 0) + (stores ? 1 : 0));
    if (!cost->fused)
        cost->fused = cost->decoded = 1;
    cost->simple_decoders = core->decoders ? (uint8_t)(core->decoders - 1) : ANY_NUMBER;
    cost->needs_complex_decoder = cost->decoded > 1;
    cost->throughput = NAN;
    if (encoding->class < class_COUNT && encoding->element < element_COUNT)
        cost->divider = (float)machine->busy[encoding->class][encoding->element][encoding->is_vector != 0];
}

/* The next operand of a form, from the blank or the comma before it; 0 at the end. */
static size_t next_operand(const char **at)
{
    if (!**at)
        return 0;
    ++*at;
    return strcspn(*at, ",");
}

/* Prefixes such as lock and rep are words of the mnemonic: the last blank ends it. */
static size_t mnemonic_length(const char *form)
{
    const char *blank = strrchr(form, ' ');
    return blank ? (size_t)(blank - form) : strlen(form);
}

/* "name kind" for what a mnemonic takes, " kind" for what any does. */
static size_t word_of(const char *name, size_t name_length, const char *operand, size_t length,
                      char word[LONGEST_WORD])
{
    if (name_length + length + 2 > LONGEST_WORD)
        return 0;
    memcpy(word, name, name_length);
    word[name_length] = ' ';
    memcpy(word + name_length + 1, operand, length);
    return name_length + 1 + length;
}

static void gather_words(struct machine_costs *costs)
{
    const struct machine *machine = costs->machine;
    costs->words = memory_get(sizeof *costs->words);
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        if (form->is_missing)
            continue;
        size_t name = mnemonic_length(form->text), length;
        strings_add_length(costs->words, form->text, name);
        char word[LONGEST_WORD];
        for (const char *at = form->text + name; (length = next_operand(&at)); at += length) {
            size_t size = word_of(form->text, name, at, length, word);
            if (size)
                strings_add_length(costs->words, word, size);
            if ((size = word_of("", 0, at, length, word)))
                strings_add_length(costs->words, word, size);
        }
    }
}

static bool is_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < 'a' || text[i] > 'z')
            return false;
    return true;
}

static enum lack lack_of_complete(struct machine_costs *costs, const char *form)
{
    if (!costs->words)
        gather_words(costs);
    size_t name = mnemonic_length(form), length;
    if (!strings_find_length(costs->words, form, name))
        return lack_INSTRUCTION;
    char word[LONGEST_WORD];
    for (const char *at = form + name; (length = next_operand(&at)); at += length) {
        size_t size = word_of(form, name, at, length, word);
        if (size && is_word(at, length) && !strings_find_length(costs->words, word, size))
            return lack_REGISTERS;
        size = word_of("", 0, at, length, word);
        if (size && !strings_find_length(costs->words, word, size))
            return lack_OPERANDS;
    }
    return lack_NONE;
}

/* The extension that the machine was restricted from and the instruction is of. */
static const char *lack_of_extension(const struct machine *machine, enum isa isa, const char *form)
{
    uint32_t lacking = machine->without && form ? machine->without & extension_of_form(isa, form) : 0;
    for (unsigned i = 0; lacking && i < extension_COUNT; i++)
        if (lacking >> i & 1)
            return extensions[i].title;
    return NULL;
}

enum lack resolve_lack(const struct cost_instruction *instruction, const char **extension)
{
    struct machine_costs *costs = instruction->costs;
    const struct machine *machine = costs->machine;
    const struct encoding *encoding = instruction->encoding;
    const char *text = model_text(costs->model, encoding->form);
    *extension = lack_of_extension(machine, (enum isa)encoding->isa, text);
    if (*extension)
        return lack_EXTENSION;
    if (instruction->form && instruction->form->is_missing)
        return lack_INSTRUCTION;
    if (machine->core.vector_bits && encoding->vector_bits > machine->core.vector_bits)
        return lack_VECTOR_LENGTH;
    for (unsigned i = 0; i < instruction->use_count; i++)
        if (instruction->uses[i].register_ < costs->register_count &&
            costs->is_beyond[instruction->uses[i].register_])
            return lack_VECTOR_REGISTERS;
    /* What the system does is never measured, and nothing in a mode that is not the machine's own. */
    bool is_judged = !instruction->form && machine->is_complete && encoding->isa == machine->isa &&
                     encoding->class != class_SYSTEM && encoding->flow != flow_SYSTEM;
    enum lack lack = is_judged && text ? lack_of_complete(costs, text) : lack_NONE;
    bool is_lacked = !lack && !instruction->form && machine->lacks && text &&
                     machine->lacks & extension_of_form((enum isa)encoding->isa, text);
    return is_lacked ? lack_INSTRUCTION : lack;
}
