#include "run/bench/instruction.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const x86_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};

/* The number of a full register in its domain: x12, z3, r9, zmm4, rax; false for others, such as xzr. */
static bool number_of(const char *name, uint8_t *number)
{
    for (unsigned i = 0; i < sizeof x86_names / sizeof *x86_names; i++) {
        if (!strcmp(name, x86_names[i])) {
            *number = (uint8_t)i;
            return true;
        }
    }
    while (*name && !isdigit((unsigned char)*name))
        name++;
    if (!*name)
        return false;
    *number = (uint8_t)atoi(name);
    return *number < 32;
}

static enum bench_domain domain_of(const struct register_fact *fact, const struct register_fact *full)
{
    if (!strncmp(fact->name, "mm", 2))
        return domain_MMX;
    switch ((enum register_kind)full->kind) {
    case register_kind_GENERAL:
        return domain_GENERAL;
    case register_kind_VECTOR:
        return domain_VECTOR;
    case register_kind_MASK:
        return domain_MASK;
    case register_kind_FLAGS:
        return domain_FLAGS;
    default:
        return domain_OTHER;
    }
}

static const struct register_use *use_of(const struct description *description,
                                         const struct register_fact *facts, unsigned register_)
{
    for (unsigned i = 0; i < description->use_count; i++)
        if (facts[description->uses[i].register_].full == facts[register_].full)
            return &description->uses[i];
    return NULL;
}

/* NULL if there is no room, or if it is a register without a number (sp, xzr): such a slot is not needed. */
static struct bench_slot *add_slot(struct bench_instruction *instruction, const struct register_fact *facts,
                                   unsigned register_, enum bench_role role, unsigned operand)
{
    const struct register_fact *full = &facts[facts[register_].full];
    uint8_t number;
    if (instruction->slot_count == MOST_SLOTS || !number_of(full->name, &number))
        return NULL;
    struct bench_slot *slot = &instruction->slots[instruction->slot_count++];
    *slot = (struct bench_slot){.role = role,
                                .domain = domain_of(&facts[register_], full),
                                .operand = (uint8_t)operand,
                                .number = number,
                                .leader = NO_SLOT,
                                .field = NO_FIELD,
                                .is_high = full->kind == register_kind_GENERAL && facts[register_].bit_offset,
                                .bits = facts[register_].bits};
    return slot;
}

/* Legacy SSE keeps what is beyond 128 bits, which costs nothing where nobody uses it. */
static bool keeps_old(const struct register_use *use, const struct bench_slot *slot)
{
    bool is_legacy = slot->domain == domain_VECTOR && slot->bits == 128;
    return use->is_conditional || (use->keeps_rest && !is_legacy);
}

static void add_address(struct bench_instruction *instruction, const struct register_fact *facts,
                        unsigned place)
{
    const struct operand *operand = &instruction->description.operands[place];
    const uint32_t registers[] = {operand->base_register, operand->index_register};
    static const char *const names[] = {"addr", "index"};
    for (unsigned i = 0; i < 2; i++) {
        if (!registers[i])
            continue;
        struct bench_slot *slot =
            add_slot(instruction, facts, registers[i], i ? role_INDEX : role_BASE, place);
        if (!slot)
            continue;
        const struct register_use *use = use_of(&instruction->description, facts, registers[i]);
        strcpy(slot->name, names[i]);
        slot->reads = true;
        slot->writes = use && (use->access & access_WRITE);
    }
}

static void add_operands(struct bench_instruction *instruction, const struct register_fact *facts)
{
    struct description *description = &instruction->description;
    for (unsigned i = 0; i < description->operand_count; i++) {
        const struct operand *operand = &description->operands[i];
        if (operand->kind == operand_kind_MEMORY || operand->kind == operand_kind_ADDRESS)
            add_address(instruction, facts, i);
        if (operand->kind != operand_kind_REGISTER || !operand->register_)
            continue;
        struct bench_slot *slot = add_slot(instruction, facts, operand->register_, role_OPERAND, i);
        if (!slot)
            continue;
        const struct register_use *use = use_of(description, facts, operand->register_);
        snprintf(slot->name, sizeof slot->name, "%u", operand->position % 10);
        slot->reads = operand->access & access_READ;
        slot->writes = operand->access & access_WRITE;
        slot->keeps = slot->writes && (operand->is_conditional || (use && keeps_old(use, slot)));
    }
}

static bool is_shown(const struct bench_instruction *instruction, unsigned domain, unsigned number)
{
    for (unsigned i = 0; i < instruction->slot_count; i++)
        if (instruction->slots[i].role <= role_INDEX && instruction->slots[i].domain == domain &&
            instruction->slots[i].number == number)
            return true;
    return false;
}

static void add_flags(struct bench_instruction *instruction, const struct register_use *use, unsigned bit)
{
    unsigned place = bench_slot_named(instruction, "f");
    if (place == NO_SLOT) {
        if (instruction->slot_count == MOST_SLOTS)
            return;
        place = instruction->slot_count++;
        instruction->slots[place] = (struct bench_slot){.name = "f",
                                                        .role = role_FLAGS,
                                                        .domain = domain_FLAGS,
                                                        .is_fixed = true,
                                                        .leader = NO_SLOT,
                                                        .field = NO_FIELD};
    }
    struct bench_slot *slot = &instruction->slots[place];
    slot->reads |= (use->access & access_READ) != 0;
    slot->writes |= (use->access & access_WRITE) != 0;
    if (use->access & access_READ)
        instruction->flags_read |= UINT64_C(1) << bit;
    if (use->access & access_WRITE)
        instruction->flags_written |= UINT64_C(1) << bit;
}

/* Registers that no operand shows, and flags. */
static void add_hidden(struct bench_instruction *instruction, const struct register_fact *facts)
{
    const struct description *description = &instruction->description;
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        const struct register_fact *full = &facts[facts[use->register_].full];
        enum bench_domain domain = domain_of(&facts[use->register_], full);
        uint8_t number;
        if (domain == domain_FLAGS)
            add_flags(instruction, use, facts[use->register_].bit_offset % 64);
        if (domain >= domain_BANKS || !number_of(full->name, &number) ||
            is_shown(instruction, domain, number))
            continue;
        /* eax and rax are one. */
        unsigned old = bench_slot_named(instruction, full->name);
        struct bench_slot *slot = old != NO_SLOT
                                      ? &instruction->slots[old]
                                      : add_slot(instruction, facts, use->register_, role_HIDDEN, 0);
        if (!slot)
            continue;
        snprintf(slot->name, sizeof slot->name, "%s", full->name);
        slot->reads |= (use->access & access_READ) != 0;
        slot->writes |= (use->access & access_WRITE) != 0;
        slot->keeps |= (use->access & access_WRITE) && keeps_old(use, slot);
        slot->is_fixed = true;
    }
}

/* Slots of one register that some instruction names twice (x86: two operands of opposite access) stay apart:
   samples are made with different registers, so that there are none. */
static bool decode(struct bench_instruction *instruction)
{
    const struct isa_reader *reader = isa_reader(instruction->isa);
    struct step step;
    if (!reader || !reader->step(instruction->bytes, instruction->size, 0, &step) ||
        step.key.size != instruction->size)
        return false;
    reader->describe(reader, &step.key, &instruction->description);
    if (instruction->description.is_undefined)
        return false;
    instruction->slot_count = 0;
    instruction->flags_read = instruction->flags_written = 0;
    add_operands(instruction, reader->registers);
    add_hidden(instruction, reader->registers);
    return true;
}

/* x86: registers that the form names (cl, al) cannot be chosen. */
static void find_fixed(struct bench_instruction *instruction)
{
    bool has_high = false;
    for (unsigned i = 0; i < instruction->slot_count; i++)
        has_high |= instruction->slots[i].is_high;
    for (unsigned i = 0; i < instruction->slot_count; i++) {
        struct bench_instruction other;
        uint8_t numbers[MOST_SLOTS];
        if (instruction->slots[i].is_fixed)
            continue;
        for (unsigned k = 0; k < instruction->slot_count; k++)
            numbers[k] = instruction->slots[k].number;
        numbers[i] = instruction->slots[i].domain > domain_VECTOR ? 7 : has_high ? 2 : 14;
        instruction->slots[i].is_fixed = !bench_instruction_renumber(instruction, numbers, &other);
    }
}

bool bench_instruction_read(struct bench_instruction *instruction, enum isa isa, const uint8_t *bytes,
                            size_t size)
{
    *instruction = (struct bench_instruction){.isa = isa, .size = (uint8_t)size};
    if (!size || size > INSTRUCTION_BYTES)
        return false;
    memcpy(instruction->bytes, bytes, size);
    if (!decode(instruction))
        return false;
    if (isa == isa_AARCH64)
        bench_find_fields(instruction);
    else if (isa == isa_X86_64)
        find_fixed(instruction);
    return true;
}

bool bench_instruction_renumber(const struct bench_instruction *from, const uint8_t *numbers,
                                struct bench_instruction *to)
{
    *to = (struct bench_instruction){.isa = from->isa, .size = from->size};
    bool is_made = from->isa == isa_AARCH64 ? bench_recode_aarch64(from, numbers, to->bytes)
                                            : bench_recode_x86(from, numbers, to->bytes, &to->size);
    if (!is_made || !decode(to) || strcmp(to->description.form, from->description.form) ||
        to->slot_count != from->slot_count)
        return false;
    for (unsigned i = 0; i < to->slot_count; i++) {
        struct bench_slot *slot = &to->slots[i];
        const struct bench_slot *old = &from->slots[i];
        if (slot->role == role_FLAGS)
            continue;
        unsigned wanted = old->leader != NO_SLOT ? (numbers[old->leader] + old->distance) % 32u
                          : old->is_fixed        ? old->number
                                                 : numbers[i];
        if (slot->number != wanted || slot->domain != old->domain || slot->role != old->role)
            return false;
        slot->leader = old->leader;
        slot->distance = old->distance;
        slot->field = old->field;
        slot->is_fixed = old->is_fixed;
    }
    return true;
}

bool bench_instruction_move(const struct bench_instruction *from, int displacement,
                            struct bench_instruction *to)
{
    uint8_t bytes[INSTRUCTION_BYTES], size;
    return from->isa == isa_X86_64 && bench_displace_x86(from, displacement, bytes, &size) &&
           bench_instruction_read(to, from->isa, bytes, size) &&
           !strcmp(to->description.form, from->description.form) && to->slot_count == from->slot_count;
}

unsigned bench_slot_named(const struct bench_instruction *instruction, const char *name)
{
    for (unsigned i = 0; i < instruction->slot_count; i++)
        if (!strcmp(instruction->slots[i].name, name))
            return i;
    return NO_SLOT;
}
