/* The interface to an instruction set: three questions.

   step      how long is the instruction here, which address does it name, and what remains when that
             address is taken out?  Asked for every instruction; fast; any thread.
   describe  what does it mean?  Asked once for each distinct key that step gave, because almost all
             instructions are repetitions (in libLLVM 390,000 keys stand for 14 million instructions).
   registers which registers are there?

   The key is the encoding with its PC-relative field zeroed, so that all calls share one key, whatever they
   call.  What describe says must depend on the key alone. */
#ifndef CODE_READ_ISA_H
#define CODE_READ_ISA_H
#include "model/model.h"

enum { KEY_BYTES = 15, MOST_OPERANDS = 16, MOST_REGISTER_USES = 64 };

struct key {
    uint8_t bytes[KEY_BYTES]; /* all bytes count: unused ones are zero */
    uint8_t size;             /* of the instruction */
};

struct step {
    struct key key;
    uint64_t target; /* NO_ADDRESS if it names none */
};

/* Registers are numbers in the ISA's own list, from 1; 0 is none.  Whoever reads descriptions adds the ISA's
   first row in the table registers to the registers of operands and uses. */
struct description {
    struct encoding encoding; /* name, completers, text, form and isa are left to the caller */
    char name[32];
    char completers[40]; /* "" for none */
    char text[160];
    char form[96];                                /* encodings.form; "" if the reader has none */
    struct operand operands[MOST_OPERANDS];       /* encoding is left to the caller */
    struct register_use uses[MOST_REGISTER_USES]; /* each register once, in ascending order */
    unsigned operand_count, use_count;
    const char *long_text; /* instead of text, if the text does not fit; lives as long as the reader */
    bool is_undefined;     /* the bytes are not an instruction of this ISA (only if step cannot see it) */
};

struct register_fact {
    const char *name;
    uint8_t kind; /* enum register_kind */
    uint16_t bits, bit_offset;
    uint16_t full; /* number of the widest register that contains it */
};

/* A direct call, jump or branch: addresses of the instruction and of its target. */
struct transfer {
    uint64_t from, to;
};
struct transfer_range {
    uint64_t start, end;
};
/* A search for ways into some ranges of addresses: past their starts, from outside. */
struct transfer_search {
    const uint8_t *bytes; /* of a code section */
    size_t size;
    uint64_t address;                    /* of the first one */
    size_t first, end;                   /* instructions that start at these bytes are looked at */
    const struct transfer_range *ranges; /* in order, disjoint */
    size_t range_count;
};
/* Adds a way (struct transfer) to found if it leads into one of the ranges; the first of these is for ways
   that lead past the first start and before the last end. */
void transfer_note_inside(const struct transfer_search *search, uint64_t from, uint64_t to,
                          struct array *found);
static inline void transfer_note(const struct transfer_search *search, uint64_t from, uint64_t to,
                                 struct array *found)
{
    if (to > search->ranges[0].start && to < search->ranges[search->range_count - 1].end)
        transfer_note_inside(search, from, to, found);
}

/* When a function has to make room on the stack before it calls another. */
enum call_room { CALL_ROOM_UNKNOWN, CALL_ROOM_ALWAYS, CALL_ROOM_FOR_IMPORTS };

/* What it takes to follow values through the code of an ISA.  Relocations are types of its ELF ABI. */
struct isa_values {
    const char *stack_pointer, *frame_pointer;
    /* A call puts its result there.  The other registers that calls may change count as kept: compilers read
       them after a call only where they know that the callee leaves them alone. */
    const char *call_result;
    enum call_room call_room;
    bool has_pages;                   /* addresses are made of the page that adrp gives and an offset */
    uint16_t relative_relocations[4]; /* of places that get the distance to a symbol; 0 ends them */
    uint16_t offset_table_relocation; /* for the address of the global offset table; 0: there is none */
    uint16_t low_bits_relocation;     /* of an addition that gets the low bits of an address; 0: none */
};

struct isa_reader {
    enum isa isa;
    uint8_t alignment;               /* of instructions */
    const struct isa_values *values; /* NULL: values are not followed */
    /* false if the bytes are not an instruction. */
    bool (*step)(const uint8_t *bytes, size_t left, uint64_t address, struct step *step);
    /* Any thread.  Every key from step has a description, even if only is_undefined. */
    void (*describe)(const struct isa_reader *reader, const struct key *key, struct description *description);
    /* The same without the text, for callers that do not need it; NULL if that would save nothing. */
    void (*describe_briefly)(const struct isa_reader *reader, const struct key *key,
                             struct description *description);
    /* The address that a relocated operand refers to; place is inside the instruction that ends at end. false
       if the relocation is not for a PC-relative operand. */
    bool (*relocated)(const struct relocation *relocation, uint64_t end, uint64_t *target);
    /* For ISAs with bundles, NULL for others. bytes are the bundle's. template gets three lower-case letters,
       or "" if a listing leaves bundling to the assembler; stops are as in the table bundles. */
    void (*bundle)(const uint8_t bytes[16], char template[4], uint8_t *stops);
    /* Finds all ways into the ranges without decoding: quick.  It may find more, where bytes only look like
       an instruction.  NULL: there is no quick way. */
    void (*find_transfers)(const struct transfer_search *search, struct array *found);
    /* For statements of a listing that binutils' assembler does not know: directives that emit the same bytes, or an
       .error that says why not, to be freed; NULL for a statement that it knows.  NULL: it knows all. */
    char *(*assemble)(struct span name, struct span operands);
    const struct register_fact *registers; /* number 1 is registers[1]; registers[0] is empty */
    unsigned register_count;               /* including the empty one */
    const void *context;                   /* for describe, if the reader belongs to one program */
};

/* The use of a register in a description, inserted in order if it is new; NULL if there is no room for it. */
struct register_use *description_use(struct description *description, unsigned number);

/* NULL for an ISA without a reader. */
const struct isa_reader *isa_reader(enum isa isa);

extern const struct isa_reader x86_64_reader, i386_reader, k1om_reader, aarch64_reader, ia64_reader;
#endif
