/* A cache of the lengths of x86-64 instructions.

   The layout of an instruction follows from its opening: prefixes, opcode, ModRM and SIB, everything before
   displacement and immediate.  Two instructions with the same opening differ only in the values of those
   fields, so they have the same length, and both are valid or neither is.  A large program has only about a
   thousand openings, and a lookup costs a tenth of decoding.

   Not cached: instructions with a PC-relative address, because step has to read it, and 3DNow!, whose opcode
   comes last.  Each entry holds the opening that was stored last; each thread has its own cache. */
#include <string.h>
#include "code/read/x86/x86.h"

enum { LONGEST_OPENING = 7, PLACE_BITS = 12 };

struct known_opening {
    uint64_t bytes; /* the first one lowest; 0 above the last */
    uint8_t size, length;
};

static _Thread_local struct known_opening openings[1 << PLACE_BITS];

static uint64_t first_bytes(const uint8_t *bytes, size_t left)
{
    uint64_t word = 0;
    if (left >= sizeof word)
        memcpy(&word, bytes, sizeof word);
    else
        memcpy(&word, bytes, left);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

static struct known_opening *place_of(uint64_t opening)
{
    return &openings[opening * 0x9e3779b97f4a7c15u >> (64 - PLACE_BITS)];
}

unsigned x86_known_length(const uint8_t *bytes, size_t left)
{
    static const uint8_t sizes[LONGEST_OPENING] = {3, 4, 2, 5, 1, 6, 7}; /* the usual ones first */
    uint64_t word = first_bytes(bytes, left);
    for (unsigned i = 0; i < LONGEST_OPENING; i++) {
        uint64_t opening = word & ((UINT64_C(1) << (8 * sizes[i])) - 1);
        const struct known_opening *known = place_of(opening);
        if (known->bytes == opening && known->size == sizes[i])
            return known->length <= left ? known->length : 0;
    }
    return 0;
}

void x86_learn_length(const uint8_t *bytes, const ZydisDecodedInstruction *decoded)
{
    unsigned fields = (decoded->raw.disp.size + decoded->raw.imm[0].size + decoded->raw.imm[1].size) / 8u;
    unsigned size = decoded->length - fields;
    if (fields >= decoded->length || size > LONGEST_OPENING ||
        decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW ||
        decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE)
        return;
    uint64_t opening = first_bytes(bytes, size);
    *place_of(opening) =
        (struct known_opening){.bytes = opening, .size = (uint8_t)size, .length = decoded->length};
}
