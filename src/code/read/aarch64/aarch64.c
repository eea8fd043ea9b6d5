/* AArch64: every instruction is a word of four bytes, little-endian even if data is not.

   step looks at the few forms with a PC-relative field: branches, adr and adrp, loads and prefetches of
   literals.  It does not know which words are instructions; describe does, and sets is_undefined.

   describe gets only text from libopcodes (aarch64/text.c).  Operands are parsed from that text
   (aarch64/parse.c), a table of mnemonics says what happens to them (aarch64/rules.def), and the two together
   give the meaning (aarch64/meaning.c).  A mnemonic that is not in the table, which can only come from a
   newer libopcodes, gets class other and is assumed to write its first operand. aarch64/form.c spells the
   form for machine files. */
#include "code/read/aarch64/form.h"
#include "code/read/aarch64/meaning.h"
#include "code/read/aarch64/registers.h"
#include "code/read/aarch64/text.h"
#include <string.h>

static uint32_t read_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t signed_field(uint32_t word, unsigned low, unsigned width)
{
    return (uint64_t)((int64_t)((uint64_t)word << (64 - low - width)) >> (64 - width));
}

struct relative {
    uint32_t field; /* the bits of the word that depend on the place */
    uint64_t target;
};

static struct relative words_away(uint32_t word, unsigned low, unsigned width, uint64_t address)
{
    return (struct relative){((UINT32_C(1) << width) - 1) << low,
                             address + signed_field(word, low, width) * 4};
}

static struct relative page_or_byte_away(uint32_t word, uint64_t address)
{
    uint64_t offset = signed_field(word, 5, 19) * 4 + (word >> 29 & 3);
    uint64_t target = word >> 31 ? (address & ~UINT64_C(0xfff)) + offset * 4096 : address + offset;
    return (struct relative){0x60ffffe0, target};
}

/* Selected by bits 27…24 of the word, in the order of the architecture's encoding tables. */
static struct relative find_relative(uint32_t word, uint64_t address)
{
    if ((word & 0x7c000000) == 0x14000000) /* b, bl */
        return words_away(word, 0, 26, address);
    if ((word & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
        return words_away(word, 5, 19, address);
    if ((word & 0x7e000000) == 0x34000000) /* cbz, cbnz */
        return words_away(word, 5, 19, address);
    if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
        return words_away(word, 5, 14, address);
    if ((word & 0x1f000000) == 0x10000000) /* adr, adrp */
        return page_or_byte_away(word, address);
    if ((word & 0x3b000000) == 0x18000000 && (word & 0xc4000000) != 0xc4000000) /* literals */
        return words_away(word, 5, 19, address);
    return (struct relative){0, NO_ADDRESS};
}

static bool aarch64_step(const uint8_t *bytes, size_t left, uint64_t address, struct step *step)
{
    if (left < 4)
        return false;
    uint32_t word = read_word(bytes);
    struct relative relative = find_relative(word, address);
    word &= ~relative.field;
    *step = (struct step){.target = relative.target, .key.size = 4};
    for (int i = 0; i < 4; i++)
        step->key.bytes[i] = (uint8_t)(word >> (8 * i));
    return true;
}

static void aarch64_describe(const struct isa_reader *reader, const struct key *key,
                             struct description *description)
{
    (void)reader;
    *description = (struct description){.encoding.size = 4};
    bool is_instruction =
        aarch64_write_text(read_word(key->bytes), description->text, sizeof description->text);
    size_t length = strcspn(description->text, " ");
    if (length >= sizeof description->name)
        length = sizeof description->name - 1;
    memcpy(description->name, description->text, length);
    if (!is_instruction) {
        description->is_undefined = true;
        description->encoding.flow = flow_STOP;
        return;
    }
    struct aarch64_parsed parsed;
    aarch64_parse_operands(description->text + length, &parsed);
    aarch64_derive_meaning(description->name, &parsed, description);
    aarch64_write_form(description->text, description->form, sizeof description->form);
}

enum {
    R_LD_PREL_LO19 = 273,
    R_ADR_PREL_LO21 = 274,
    R_ADR_PREL_PG_HI21 = 275,
    R_ADR_PREL_PG_HI21_NC = 276,
    R_TSTBR14 = 279,
    R_CONDBR19 = 280,
    R_JUMP26 = 282,
    R_CALL26 = 283,
};

static bool aarch64_relocated(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    (void)end;
    if (relocation->value == NO_ADDRESS)
        return false;
    uint64_t sum = relocation->value + (uint64_t)relocation->addend;
    switch (relocation->type) {
    case R_LD_PREL_LO19:
    case R_ADR_PREL_LO21:
    case R_TSTBR14:
    case R_CONDBR19:
    case R_JUMP26:
    case R_CALL26:
        *target = sum;
        return true;
    case R_ADR_PREL_PG_HI21:
    case R_ADR_PREL_PG_HI21_NC:
        *target = sum & ~UINT64_C(0xfff);
        return true;
    default:
        return false;
    }
}

static const struct isa_values values = {
    .stack_pointer = "sp",
    .frame_pointer = "x29",
    .call_result = "x0",
    .call_room = CALL_ROOM_ALWAYS, /* for the return address */
    .has_pages = true,
    .relative_relocations = {260, 261, 262}, /* PREL64, PREL32, PREL16 */
    .low_bits_relocation = 277,              /* ADD_ABS_LO12_NC */
};

/* Branches are a group of the encodings of their own. */
static void aarch64_find_transfers(const struct transfer_search *search, struct array *found)
{
    for (size_t at = search->first; at < search->end && at + 4 <= search->size; at += 4) {
        uint32_t word = read_word(search->bytes + at);
        if ((word & 0x1c000000) != 0x14000000)
            continue;
        uint64_t from = search->address + at;
        struct relative relative = find_relative(word, from);
        if (relative.target != NO_ADDRESS)
            transfer_note(search, from, relative.target, found);
    }
}

const struct isa_reader aarch64_reader = {
    .isa = isa_AARCH64,
    .alignment = 4,
    .values = &values,
    .step = aarch64_step,
    .describe = aarch64_describe,
    .relocated = aarch64_relocated,
    .find_transfers = aarch64_find_transfers,
    .registers = aarch64_registers,
    .register_count = REGISTER_COUNT,
};
