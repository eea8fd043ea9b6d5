/* IA-64 code in files: bundles of 16 bytes, each with a template and three slots of 41 bits.

   An instruction's address is that of its bundle plus 0, 6 or 12, as objdump numbers slots; a long one takes
   slots 1 and 2 and so 10 bytes.  Because the template is in the first byte of the bundle, step looks at
   bytes before the ones it is given: the bundle starts at a multiple of 16, and so does every section that is
   decoded (elf/sections.c ensures that).

   The key is the meaning of the instruction independent of its address: the unit of its slot and the bits of
   the slot, without the displacement of a branch or check.  Displacements of brp's second operand and of
   moves to branch registers are hints that name another bundle; they stay.

   describe parses the text from libopcodes (ia64/describe.c), so that instructions in listings and binaries
   have the same meaning. */
#include "code/read/ia64/ia64.h"
#include "code/read/ia64/text.h"

#include <elf.h>

const char ia64_templates[IA64_TEMPLATES][4] = {"mii", "mii", "mlx", "mmi", "mmi", "mfi",
                                                "mmf", "mib", "mbb", "bbb", "mmb", "mfb"};

enum { SLOT_BYTES = 6, BUNDLE_BYTES = 16 };
#define SLOT_MASK ((UINT64_C(1) << 41) - 1)

/* Bits 4 … 1 of a bundle choose the template, bit 0 is the stop at its end; letters are the units of the
   slots, NULL is reserved. */
static const struct {
    const char *units;
    uint8_t stops;
} encoded_templates[16] = {
    {"MII", 0}, {"MII", 2}, {"MLX", 0}, {NULL, 0},  {"MMI", 0}, {"MMI", 1}, {"MFI", 0}, {"MMF", 0},
    {"MIB", 0}, {"MBB", 0}, {NULL, 0},  {"BBB", 0}, {"MMB", 0}, {NULL, 0},  {"MFB", 0}, {NULL, 0},
};

static uint64_t read_eight(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t read_slot(const uint8_t *bundle, unsigned slot)
{
    uint64_t low = read_eight(bundle), high = read_eight(bundle + 8);
    return SLOT_MASK & (slot == 0 ? low >> 5 : slot == 1 ? low >> 46 | high << 18 : high >> 23);
}

static uint64_t bits(uint64_t word, unsigned low, unsigned width)
{
    return word >> low & ((UINT64_C(1) << width) - 1);
}

static uint64_t field(unsigned low, unsigned width)
{
    return ((UINT64_C(1) << width) - 1) << low;
}

enum displacement { NO_DISPLACEMENT, AT_13, AT_6, AT_6_AND_20 };

static enum displacement find_displacement(char unit, uint64_t word)
{
    unsigned opcode = (unsigned)bits(word, 37, 4), x3 = (unsigned)bits(word, 33, 3);
    switch (unit) {
    case 'B': /* branches, calls, brp */
        return opcode == 4 || opcode == 5 || opcode == 7 ? AT_13 : NO_DISPLACEMENT;
    case 'F': /* fchkf */
        return opcode == 0 && bits(word, 33, 1) == 0 && bits(word, 27, 6) == 8 ? AT_6 : NO_DISPLACEMENT;
    case 'M': /* chk.a; chk.s of either register file */
        if (opcode == 0 && x3 >= 4)
            return AT_13;
        return opcode == 1 && (x3 == 1 || x3 == 3) ? AT_6_AND_20 : NO_DISPLACEMENT;
    case 'I': /* chk.s */
        return opcode == 0 && x3 == 1 ? AT_6_AND_20 : NO_DISPLACEMENT;
    default:
        return NO_DISPLACEMENT;
    }
}

/* Removes the displacement from the word; returns the address that it gave. */
static uint64_t take_displacement(char unit, uint64_t *word, uint64_t bundle)
{
    uint64_t sign = bits(*word, 36, 1), value, mask = field(36, 1);
    switch (find_displacement(unit, *word)) {
    case AT_13:
        value = bits(*word, 13, 20);
        mask |= field(13, 20);
        break;
    case AT_6:
        value = bits(*word, 6, 20);
        mask |= field(6, 20);
        break;
    case AT_6_AND_20:
        value = bits(*word, 6, 7) | bits(*word, 20, 13) << 7;
        mask |= field(6, 7) | field(20, 13);
        break;
    default:
        return NO_ADDRESS;
    }
    *word &= ~mask;
    return bundle + ((value - (sign << 20)) << 4);
}

/* Of brl: 60 bits in both slots. */
static uint64_t take_long_displacement(uint64_t *word, uint64_t *extension, uint64_t bundle)
{
    unsigned opcode = (unsigned)bits(*word, 37, 4);
    if (opcode != 0xc && opcode != 0xd)
        return NO_ADDRESS;
    uint64_t value = bits(*word, 13, 20) | bits(*extension, 2, 39) << 20 | bits(*word, 36, 1) << 59;
    *word &= ~(field(13, 20) | field(36, 1));
    *extension &= ~field(2, 39);
    return bundle + (value << 4);
}

enum { KEY_WORD = 1, KEY_EXTENSION = 7, KEY_WORD_BYTES = 6 };

static void put_word(struct key *key, unsigned at, uint64_t word)
{
    for (unsigned i = 0; i < KEY_WORD_BYTES; i++)
        key->bytes[at + i] = (uint8_t)(word >> 8 * i);
}

static uint64_t get_word(const struct key *key, unsigned at)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < KEY_WORD_BYTES; i++)
        word |= (uint64_t)key->bytes[at + i] << 8 * i;
    return word;
}

static bool ia64_step(const uint8_t *bytes, size_t left, uint64_t address, struct step *step)
{
    unsigned place = address % BUNDLE_BYTES;
    if (place % SLOT_BYTES || left < BUNDLE_BYTES - place)
        return false;
    const uint8_t *bundle = bytes - place;
    unsigned slot = place / SLOT_BYTES;
    const char *units = encoded_templates[bundle[0] >> 1 & 15].units;
    if (!units || (units[1] == 'L' && slot == 2))
        return false;
    address -= place;
    *step = (struct step){.key.size = slot == 2 ? 4 : SLOT_BYTES};
    char unit = units[slot];
    uint64_t word = read_slot(bundle, slot);
    if (unit == 'L') {
        uint64_t extension = word;
        unit = 'X';
        word = read_slot(bundle, 2);
        step->key.size = BUNDLE_BYTES - SLOT_BYTES;
        step->target = take_long_displacement(&word, &extension, address);
        put_word(&step->key, KEY_EXTENSION, extension);
    } else {
        step->target = take_displacement(unit, &word, address);
    }
    step->key.bytes[0] = (uint8_t)unit;
    put_word(&step->key, KEY_WORD, word);
    return true;
}

static void ia64_describe_key(const struct isa_reader *reader, const struct key *key,
                              struct description *description)
{
    (void)reader;
    char text[sizeof description->text];
    struct ia64_facts facts;
    bool is_instruction = ia64_write_text((char)key->bytes[0], get_word(key, KEY_WORD),
                                          get_word(key, KEY_EXTENSION), text, sizeof text);
    ia64_describe(text, description, &facts);
    description->encoding.size = key->size;
    if (is_instruction && (!facts.complaint[0] || facts.is_unknown))
        return;
    description->encoding = (struct encoding){.size = key->size, .flow = flow_STOP};
    description->operand_count = description->use_count = 0;
    description->is_undefined = true;
}

static bool ia64_relocated(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    (void)end;
    if (relocation->value == NO_ADDRESS)
        return false;
    switch (relocation->type) {
    case R_IA64_PCREL60B:
    case R_IA64_PCREL21B:
    case R_IA64_PCREL21M:
    case R_IA64_PCREL21F:
    case R_IA64_PCREL21BI:
        *target = (relocation->value + (uint64_t)relocation->addend) & ~UINT64_C(15);
        return true;
    default:
        return false;
    }
}

static void ia64_bundle(const uint8_t bytes[16], char template[4], uint8_t *stops)
{
    const char *units = encoded_templates[bytes[0] >> 1 & 15].units;
    *stops = (uint8_t)(encoded_templates[bytes[0] >> 1 & 15].stops | (bytes[0] & 1) << 2);
    template[0] = '\0';
    if (!units)
        return;
    for (unsigned i = 0; i < 3; i++)
        template[i] = (char)(units[i] | 32);
    template[3] = '\0';
}

const struct isa_reader ia64_reader = {
    .isa = isa_IA64,
    .alignment = 2,
    .step = ia64_step,
    .describe = ia64_describe_key,
    .relocated = ia64_relocated,
    .bundle = ia64_bundle,
    .registers = ia64_registers,
    .register_count = IA64_REGISTER_COUNT,
};
