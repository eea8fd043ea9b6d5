/* The rows of registers alone decide which are units; ABI facts go by name.  Names that a model does not have
   (a database with another machine's registers, a test's made-up ones) are skipped. */
#include "code/flow/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIT_AT_MOST = 2 /* iopl has two */, NAME_MAX_LENGTH = 31 };

static const struct {
    enum isa isa;
    enum abi_set set;
    const char *registers;
} conventions[] = {
#define ABI(isa, set, registers) {isa_##isa, ABI_##set, registers},
#include "code/flow/abi.def"
#undef ABI
};

static bool is_named_bit(const struct register_ *row, uint32_t id)
{
    return row->bits <= BIT_AT_MOST && row->full != id && row->full;
}

static bool is_unit(const struct model *model, uint32_t id)
{
    const struct register_ *row = model_register(model, id);
    if (row->kind == register_kind_POINTER || row->kind == register_kind_X87)
        return false;
    return row->full == id || !row->full || is_named_bit(row, id);
}

static uint32_t row_named(const struct units *units, const struct model *model, const char *name)
{
    string_id text = strings_find(&model->strings, name);
    for (uint32_t i = 0; text && i < units->register_count; i++)
        if (model_register(model, units->first_register + i)->name == text)
            return units->first_register + i;
    return 0;
}

uint16_t units_named(const struct units *units, const struct model *model, const char *name)
{
    uint32_t row = row_named(units, model, name);
    return row ? units_of(units, row) : (uint16_t)NO_UNIT;
}

static void add_to_set(struct units *units, const struct model *model, const char *name, enum abi_set set)
{
    uint16_t unit = units_named(units, model, name);
    if (unit != NO_UNIT)
        units->abi[unit] |= set;
}

/* "r8-r11": the same letters with every number in between. */
static void add_range(struct units *units, const struct model *model, const char *text, size_t length,
                      enum abi_set set)
{
    char first[NAME_MAX_LENGTH + 1] = "", name[NAME_MAX_LENGTH + 13];
    const char *dash = memchr(text, '-', length);
    size_t first_length = dash ? (size_t)(dash - text) : length;
    if (first_length > NAME_MAX_LENGTH)
        return;
    memcpy(first, text, first_length);
    if (!dash) {
        add_to_set(units, model, first, set);
        return;
    }
    size_t letters = first_length;
    while (letters && isdigit((unsigned char)first[letters - 1]))
        letters--;
    unsigned from = (unsigned)strtoul(first + letters, NULL, 10);
    unsigned to = (unsigned)strtoul(dash + 1 + letters, NULL, 10);
    first[letters] = 0;
    for (unsigned number = from; number <= to && number < 256; number++) {
        snprintf(name, sizeof name, "%s%u", first, number);
        add_to_set(units, model, name, set);
    }
}

static void add_conventions(struct units *units, const struct model *model)
{
    for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++) {
        const char *at = conventions[i].registers;
        while (conventions[i].isa == units->isa && *at) {
            size_t length = strcspn(at, " ");
            add_range(units, model, at, length, conventions[i].set);
            at += length + (at[length] == ' ');
        }
    }
}

/* Registers with a constant value are not units. */
static void drop_constants(struct units *units)
{
    for (uint32_t i = 0; i < units->register_count; i++)
        if (units->of_register[i] != NO_UNIT && (units->abi[units->of_register[i]] & ABI_CONSTANT))
            units->of_register[i] = NO_UNIT;
}

/* The unit of name where count units from there on are name, name + 1, …; else NO_UNIT. */
static uint16_t consecutive(const struct units *units, const struct model *model, char letter, unsigned from,
                            unsigned count)
{
    uint16_t first = NO_UNIT;
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%u", letter, from + i);
        uint16_t unit = units_named(units, model, name);
        if (i == 0)
            first = unit;
        if (unit == NO_UNIT || unit != first + i)
            return NO_UNIT;
    }
    return first;
}

void units_make(struct units *units, const struct model *model, enum isa isa)
{
    *units = (struct units){.isa = isa, .stack = NO_UNIT};
    units->stacked = units->floats = units->predicates = NO_UNIT;
    for (uint32_t id = 1; id < model->registers.count; id++) {
        if (model_register(model, id)->isa != isa)
            continue;
        if (!units->first_register)
            units->first_register = id;
        units->register_count = id - units->first_register + 1;
    }
    size_t rows = units->register_count;
    units->of_register = memory_get(rows * sizeof *units->of_register + 1);
    units->registers = memory_get(rows * sizeof *units->registers + 1);
    units->abi = memory_get(rows * sizeof *units->abi + 1);
    units->kind = memory_get(rows + 1);
    units->bits = memory_get(rows * sizeof *units->bits + 1);
    units->has_bits = memory_get(rows + 1);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t id = units->first_register + i;
        const struct register_ *row = model_register(model, id);
        units->of_register[i] = NO_UNIT;
        if (row->isa != isa || !is_unit(model, id) || units->count == NO_UNIT)
            continue;
        units->registers[units->count] = id;
        units->kind[units->count] = row->kind;
        units->bits[units->count] = row->bits;
        units->of_register[i] = units->count++;
        if (is_named_bit(row, id) && row->full - units->first_register < rows)
            units->has_bits[row->full - units->first_register] = 1;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t full = model_full_register(model, units->first_register + i);
        if (units->of_register[i] == NO_UNIT && full - units->first_register < rows)
            units->of_register[i] = units->of_register[full - units->first_register];
    }
    add_conventions(units, model);
    drop_constants(units);
    for (uint16_t unit = 0; unit < units->count; unit++)
        if (units->abi[unit] & ABI_STACK)
            units->stack = unit;
    units->stacked = consecutive(units, model, 'r', 32, 96);
    units->floats = consecutive(units, model, 'f', 32, 96);
    units->predicates = consecutive(units, model, 'p', 16, 48);
}

void units_free(struct units *units)
{
    free(units->of_register);
    free(units->registers);
    free(units->abi);
    free(units->kind);
    free(units->bits);
    free(units->has_bits);
}

/* All predicates by the name of the whole, where its row does not say that they are its bits. */
static bool visit_predicates(const struct units *units, const struct model *model, uint32_t row,
                             unit_visit *visit, void *context)
{
    const char *name = model_text(model, model_register(model, row)->name);
    bool is_all = name && !strcmp(name, "pr"), is_rotating = name && !strcmp(name, "pr.rot");
    if (!is_all && !is_rotating)
        return false;
    for (unsigned number = is_all ? 1 : 16; number < 64; number++) {
        char predicate[8];
        snprintf(predicate, sizeof predicate, "p%u", number);
        uint16_t unit = units_named(units, model, predicate);
        if (unit != NO_UNIT)
            visit(context, unit);
    }
    return true;
}

void units_each(const struct units *units, const struct model *model, uint32_t row, unit_visit *visit,
                void *context)
{
    uint32_t place = row - units->first_register;
    if (row < units->first_register || place >= units->register_count)
        return;
    const struct register_ *accessed = model_register(model, row);
    uint32_t full = accessed->full - units->first_register;
    bool has_bits = accessed->full && full < units->register_count && units->has_bits[full];
    if (has_bits && !is_named_bit(accessed, row)) {
        for (uint16_t unit = 0; unit < units->count; unit++) {
            const struct register_ *bit = model_register(model, units->registers[unit]);
            if (bit->full == accessed->full && is_named_bit(bit, units->registers[unit]) &&
                bit->bit_offset >= accessed->bit_offset &&
                bit->bit_offset + bit->bits <= accessed->bit_offset + accessed->bits &&
                !(units->abi[unit] & ABI_CONSTANT))
                visit(context, unit);
        }
        return;
    }
    if (visit_predicates(units, model, row, visit, context))
        return;
    if (units->of_register[place] != NO_UNIT)
        visit(context, units->of_register[place]);
}
