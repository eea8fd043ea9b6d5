/* What a floating-point instruction of x86 reads and writes, and the values that it is about to read.

   A trap shows that some operand was denormal or some result too small, but not which one, its value or its
   address.  Those come from the instruction's bytes and the state of the processor at the trap, in two steps:

     profile_decode          bytes → what the instruction is: depends on nothing else, so may be kept per site
     profile_find_denormals,
     profile_find_results    with the state of the processor: the values

   decode.c, with its table decode_forms.def, does the first, decode_values.c the rest.

   Everything here may be called inside a signal handler: no allocation, no lock, no libc but string.h, no
   state of its own.  The structures are plain, so that it can be tested on any machine.

   profile_decode returns false for the rest: bytes that are not an instruction, forms that cannot raise a
   denormal or underflow exception, and instructions missing from the table (AMD's four-operand FMA, complex
   FP16, Xeon Phi's own, APX).  The other functions must not be called then. */
#ifndef RUNTIME_DENORMAL_PROFILE_DECODE_H
#define RUNTIME_DENORMAL_PROFILE_DECODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_operation {
    profile_operation_UNKNOWN,
    profile_operation_ADD,
    profile_operation_SUBTRACT,
    profile_operation_ADD_SUBTRACT, /* even lanes one, odd lanes the other */
    profile_operation_MULTIPLY,
    profile_operation_DIVIDE,
    profile_operation_SQUARE_ROOT,
    profile_operation_FMA,
    profile_operation_MINIMUM,
    profile_operation_MAXIMUM,
    profile_operation_COMPARE,
    profile_operation_CONVERT,
    profile_operation_ROUND,
    profile_operation_HORIZONTAL, /* haddps, hsubpd, … */
    profile_operation_DOT,        /* dpps, dppd */
    profile_operation_SCALE,      /* vscalef, fscale */
    profile_operation_PARTS,      /* exponent, mantissa, range, fix-up, remainder */
    profile_operation_FUNCTION,   /* x87: sines, logarithms, powers, … */
    profile_operation_LOAD,       /* x87: fld, which converts */
    profile_operation_STORE,      /* x87: fst, fstp */
    profile_operation_COUNT
};

enum profile_where {
    profile_where_NOWHERE, /* no such operand; of a result: flags, opmask or a general register */
    profile_where_VECTOR,  /* xmm, ymm, zmm: number is 0 … 31 */
    profile_where_STACK,   /* st(number) as the instruction finds the stack; of a result: as it leaves it */
    profile_where_MEMORY
};

/* The floating-point numbers of an operand.  Integers are not told: lanes is 0. */
struct profile_operand {
    uint8_t where;     /* enum profile_where */
    uint8_t number;    /* of the register */
    uint8_t bits;      /* of an element: 16, 32, 64 or 80 */
    uint8_t lanes;     /* elements; those in memory lie one after the other */
    bool is_broadcast; /* one element in memory stands for all lanes */
};

enum { PROFILE_NO_REGISTER = 255, PROFILE_INSTRUCTION_POINTER = 254, PROFILE_MOST_OPERANDS = 3, PROFILE_MOST_LENGTH = 15 };

struct profile_instruction {
    uint8_t length;
    uint8_t operation; /* enum profile_operation */
    bool is_x87;
    bool is_packed;       /* works on more than the lowest lane of vectors */
    bool is_vex, is_evex; /* neither: x87, or SSE as it began */
    uint16_t vector_bits; /* 128, 256, 512; 0: x87 */
    uint8_t mask;         /* opmask register 1 … 7 that chooses lanes; 0: all */
    bool zeroes;          /* lanes not chosen become zero instead of staying */
    uint32_t lane_mask;   /* lanes that take part by the instruction alone (dpps); else all ones */
    uint8_t operand_count;
    struct profile_operand operands[PROFILE_MOST_OPERANDS]; /* sources, in the order of Intel's syntax */
    struct profile_operand result;
    uint32_t result_mask; /* lanes of the result that are the operation's (dpps); else all ones */
    /* The memory operand, source or result (never both). */
    bool has_memory;
    uint8_t base, index;  /* general registers in the encoding's order, PROFILE_NO_REGISTER, … */
    uint8_t scale;        /* 1, 2, 4, 8 */
    uint8_t segment;      /* 0; 'f' or 'g': that segment's base is added; '?': too many prefixes */
    uint8_t address_bits; /* 32 or 64 */
    int32_t displacement; /* EVEX: already multiplied */
};

/* The state of the processor at the trap. */
struct profile_state {
    bool is_64;
    uint64_t general[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15: the encoding's order */
    uint64_t instruction; /* where the instruction itself lies */
    bool has_fs, has_gs;  /* where the bases of these segments are known */
    uint64_t fs, gs;
    /* The image that FXSAVE or XSAVE (standard form, not compacted) would write; of i386 frames it starts 112
       bytes into the kernel's structure.  area_size is 512 where there is nothing behind it. */
    const uint8_t *area;
    size_t area_size;
    /* Where the parts lie in it, by CPUID leaf 0xD, sub-leaf ECX: EBX.  0: the processor has no such part. */
    uint32_t upper_halves; /* 2: bits 128 … 255 of registers 0 … 15 */
    uint32_t masks;        /* 5 */
    uint32_t upper_256;    /* 6: bits 256 … 511 of registers 0 … 15 */
    uint32_t upper_16;     /* 7: registers 16 … 31 */
    /* Copies size bytes of the program's memory; false: they cannot be read.  NULL: nothing can. */
    bool (*read)(void *context, uint64_t address, void *into, size_t size);
    void *context;
};

struct profile_value {
    uint8_t operand; /* 0 …; of a result: PROFILE_RESULT */
    uint8_t lane;
    uint8_t bits;   /* 16, 32, 64, 80 */
    uint8_t where;  /* enum profile_where */
    uint8_t number; /* of the register */
    bool has_address;
    uint64_t address;  /* of this lane, where the operand lies in memory and its address is known */
    uint8_t bytes[16]; /* the value, least significant byte first; zeros after it */
};
enum { PROFILE_RESULT = 255 };

/* size bytes may be read; 15 are always enough. false: unknown instruction, and *instruction holds
   nothing. */
bool profile_decode(const uint8_t *bytes, size_t size, bool is_64, struct profile_instruction *instruction);
/* Address of the memory operand. false: it has none, or a segment's base is unknown. */
bool profile_address(const struct profile_instruction *instruction, const struct profile_state *state, uint64_t *address);

/* Denormal operands, lane by lane, operand after operand.  The first most of them go into values; the answer
   says how many there are.  address: of the memory operand, NULL where it is not known (profile_address gives
   it; for x87, whose traps come late, the data pointer of the area is the one to trust).  *unread, where it
   is not NULL, is the number of lanes whose value could not be had.  Lanes that the mask turns off are not
   read, not even from memory. */
size_t profile_find_denormals(const struct profile_instruction *instruction, const struct profile_state *state,
                          const uint64_t *address, struct profile_value *values, size_t most, size_t *unread);

/* What the instruction made: state is the one after it, address the one that it had before it. */
struct profile_results {
    unsigned lanes;     /* that could be read */
    unsigned denormals; /* among them */
    unsigned zeros;
    bool has_value; /* the first denormal; where there is none and just one zero, that */
    struct profile_value value;
};
void profile_find_results(const struct profile_instruction *instruction, const struct profile_state *state,
                      const uint64_t *address, struct profile_results *results);

/* Whether these bytes are a denormal number of so many bits (16, 32, 64, 80). */
bool profile_is_denormal(const uint8_t *bytes, unsigned bits);
bool profile_is_zero(const uint8_t *bytes, unsigned bits);

/* "xmm3", "ymm0", "zmm17", "st(2)", "memory": at most 15 characters and a zero. */
void profile_name_operand(const struct profile_instruction *instruction, const struct profile_value *value,
                      char name[16]);
#endif
