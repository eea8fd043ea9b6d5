/* AArch64: numbers of registers are fields of five bits at 0, 5, 10 and 16; predicates have four bits there,
   those that govern three bits at 10.  Which operand a field belongs to is found by changing it and decoding:
   the slot that gets the number that was put in is its.  Aliases (mov v, ror by a constant, cinc) have one
   register in two fields, 5 and 16, or 0 and 16, which change together; a register that the text shows twice
   is a slot that follows the other at no distance. */
#include "run/bench/instruction.h"

#include <string.h>

/* A field: its lowest bit, and a flag for predicates of four bits and of three.  Only numbers below 8 are put
   into these. */
enum { BOTH = 32, TIED = 33, PREDICATE = 64, GOVERNING = 128, FIELD = 31 };
static const uint8_t places[] = {
    0, 5, 10, 16, BOTH, TIED, PREDICATE, PREDICATE + 5, PREDICATE + 10, PREDICATE + 16, GOVERNING + 10};
enum { PLACES = sizeof places };
/* Below 16: some forms with lanes have numbers of four bits only. */
static const uint8_t trials[] = {3, 12}, predicate_trials[] = {3, 6};

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(uint8_t *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static uint32_t with_field(uint32_t word, unsigned place, unsigned number)
{
    if (place == BOTH)
        return with_field(with_field(word, 5, number), 16, number);
    if (place == TIED)
        return with_field(with_field(word, 0, number), 16, number);
    if (place > FIELD) {
        unsigned at = place & FIELD;
        uint32_t bits = place & PREDICATE ? 15 : 7;
        return (word & ~(bits << at)) | number << at;
    }
    return (word & ~((uint32_t)FIELD << place)) | number << place;
}

/* Slots as a description has them, in order. */
static unsigned numbers_of(const struct description *description, uint8_t *numbers, uint8_t *operands)
{
    const struct register_fact *facts = isa_reader(isa_AARCH64)->registers;
    unsigned count = 0;
    for (unsigned i = 0; i < description->operand_count; i++) {
        const struct operand *operand = &description->operands[i];
        const uint32_t registers[] = {operand->register_, operand->base_register, operand->index_register};
        for (unsigned k = 0; k < 3; k++) {
            const char *name = registers[k] ? facts[facts[registers[k]].full].name : "";
            if (!strchr("xzp", name[0] ? name[0] : '-') || name[1] < '0' || name[1] > '9' ||
                count == MOST_SLOTS)
                continue;
            numbers[count] = (uint8_t)(name[1] - '0');
            if (name[2])
                numbers[count] = (uint8_t)(numbers[count] * 10 + name[2] - '0');
            operands[count++] = (uint8_t)i;
        }
    }
    return count;
}

static bool describe_word(uint32_t word, const char *form, struct description *description)
{
    struct key key = {.size = 4};
    put_word(key.bytes, word);
    isa_reader(isa_AARCH64)->describe(isa_reader(isa_AARCH64), &key, description);
    return !description->is_undefined && !strcmp(description->form, form);
}

/* Slots of operands and addresses come first and in order (instruction.c). */
void bench_find_fields(struct bench_instruction *instruction)
{
    uint32_t word = word_of(instruction->bytes);
    struct description changed;
    for (unsigned f = 0; f < PLACES; f++) {
        uint8_t seen[2][MOST_SLOTS], operands[MOST_SLOTS];
        unsigned counts[2] = {0, 0};
        bool is_predicate = places[f] & (PREDICATE | GOVERNING);
        const uint8_t *tried = is_predicate ? predicate_trials : trials;
        for (unsigned t = 0; t < 2; t++)
            if (describe_word(with_field(word, places[f], tried[t]), instruction->description.form, &changed))
                counts[t] = numbers_of(&changed, seen[t], operands);
        if (!counts[0] || counts[0] != counts[1])
            continue;
        unsigned leader = NO_SLOT;
        for (unsigned i = 0; i < counts[0] && i < instruction->slot_count; i++) {
            struct bench_slot *slot = &instruction->slots[i];
            if (slot->role > role_INDEX || seen[0][i] == seen[1][i] || slot->field != NO_FIELD ||
                slot->leader != NO_SLOT || (slot->domain == domain_MASK) != is_predicate)
                continue;
            unsigned distance = (seen[0][i] - tried[0] + 32u) % 32;
            if (distance == 0 && leader == NO_SLOT && seen[1][i] == tried[1]) {
                slot->field = places[f];
                leader = i;
            } else if (leader != NO_SLOT && (seen[1][i] - tried[1] + 32u) % 32 == distance) {
                slot->leader = (uint8_t)leader;
                slot->distance = (uint8_t)distance;
            }
        }
    }
    for (unsigned i = 0; i < instruction->slot_count; i++) {
        struct bench_slot *slot = &instruction->slots[i];
        slot->is_fixed = slot->is_fixed || (slot->field == NO_FIELD && slot->leader == NO_SLOT);
    }
}

bool bench_recode_aarch64(const struct bench_instruction *from, const uint8_t *numbers, uint8_t *bytes)
{
    uint32_t word = word_of(from->bytes);
    for (unsigned i = 0; i < from->slot_count; i++) {
        if (from->slots[i].field == NO_FIELD)
            continue;
        if (numbers[i] > 30 && from->slots[i].domain == domain_GENERAL)
            return false;
        word = with_field(word, from->slots[i].field, numbers[i]);
    }
    put_word(bytes, word);
    return true;
}
