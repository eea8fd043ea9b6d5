/* The description of a stretch of code that instrument*.c gives to events.c.

   A stretch is a straight-line run of instructions inside a superblock: control that enters it leaves at its
   end.  Instrumented code tests every floating-point value of the stretch inline and puts it aside in the
   area; one guarded call at the end of the stretch, taken only if a test met a denormal (or an integer access
   met a page of interest), then goes through the stretch's steps in order, as if they happened just now.

   The area lies in the thread's two shadow register files, which Valgrind provides and which instrumented
   code reaches as cheaply as a register.  A Ref is the number of a 32-bit word in it.

   Values of registers and memory carry no live tags on the fast path.  Instead a mark remembers a tag
   together with the value it was given to: it holds only while the value is still there.  So nothing has to
   be done where a normal number replaces a denormal one, nor where code that the tracer does not follow
   (system calls, integer arithmetic) overwrites it. */
#ifndef RUNTIME_DENORMAL_TRACE_STRETCH_H
#define RUNTIME_DENORMAL_TRACE_STRETCH_H
#include "trace.h"

typedef UShort Ref;
/* REF_REGISTER + n: what word n of the registers held when the stretch began. */
enum { REF_UNKNOWN = 0xffff, REF_REGISTER = 0x8000, REF_ZERO = 0, MOST_WORDS = 8 };
/* The first word is 0 and stays so.  In stretches with integer accesses two words say whether a
   floating-point value was denormal (not 0); else it was only a page that such an access met.  Four words are
   written only (instrument_tests.c). */
enum { VERDICT_WORD = 2, SO_FAR_WORD = 4, FIRST_WORD = 8 };
enum { AREA_WORDS = 464 }; /* less than any guest's two shadow register files; checked when the tool starts */
enum { MOST_OPERANDS = 3 };

struct mark {
    UInt value;
    Tag tag;
};

enum step_kind {
    step_COPY, /* a value that was put aside: the marks of its words are those of other words, or of a
                  register */
    step_LOAD,
    step_STORE,
    step_OPERATION,
    step_INTEGER_LOAD,
    step_INTEGER_STORE
};
/* Words of registers: the vector registers (17 × 256 bits or 32 × 128 bits), then the general ones. */
enum {
    NOT_A_REGISTER = 0xffff,
    VECTOR_REGISTER_WORDS = 17 * 8,
    MOST_REGISTER_WORDS = VECTOR_REGISTER_WORDS + 32 * 2
};

/* What is known of a value whose way is not: nothing, it was in a vector register, or it was made of what
   was. */
enum made { made_UNKNOWN, made_IN_REGISTER, made_OF_NUMBERS };

struct step {
    UChar kind;
    UChar bytes;        /* of a value: 4, 8; 0: the width is not known (loads, stores) */
    UChar result_bytes; /* operations: 4, 8; 0: no floating-point result */
    UChar words;        /* of the whole value (copies, loads, stores) */
    UChar lanes;        /* operations */
    UChar meant;        /* operations: a bit for each lane that the instruction means */
    UChar operands;
    Bool sure;          /* loads: an operation of this width consumes it */
    Bool traps;         /* operations: x86 signals a denormal operand */
    Bool first;         /* operations: the first of its instruction in the stretch */
    Ref value;          /* the word where the value (or the result) begins */
    Ref address;        /* the two words that hold the address of an access */
    Bool opaque;        /* copies: some words come from nothing that is followed */
    UChar from_numbers; /* stores, copies: enum made */
    UChar action;       /* operations: enum trace_action */
    struct site *site;
    Ref from[MOST_OPERANDS]
            [MOST_WORDS]; /* words of operands; [0] also: of the stored value, the sources of a copy */
};

struct register_update { /* words that lie in registers when the stretch ends */
    UShort reg, words;
    Ref from;
};

struct stretch {
    struct stretch *next;
    Addr superblock;
    UInt translation, discards; /* which one of the superblock; translations of it that are gone */
    ULong executions, settled;  /* settled: already added to the sites */
    UInt words;                 /* of the area that are used up to its end */
    UInt step_count, update_count, site_count;
    Bool has_integers;
    Bool keeps_recent; /* values may become others' that are known by their bits alone */
    struct step *steps;
    struct register_update *updates;
    struct site **sites; /* of instructions that compute, for executions */
};

/* events.c */
VG_REGPARM(2) void events_of_stretch(struct stretch *stretch, const UChar *guest);
VG_REGPARM(1) void events_of_stretch_here(struct stretch *stretch); /* without a pointer to the guest state */
/* Not 0 for some stretches after integer instructions have loaded denormals: where do they store them? */
extern UChar moves_under_way;
extern UInt area_offset; /* of the area in the guest state: after the registers */
/* sites.c: stretches are kept there, so that executions can be added up */
void stretch_keep(struct stretch *stretch);
void stretches_discard(Addr superblock);

/* instrument_operations.c: what the operations of Valgrind's intermediate code are */
struct operation {
    UChar operands, bytes, result_bytes, lanes;
    Bool scalar; /* computes lane 0 of a vector; the others are the first operand's */
    Bool traps;
};
enum operation_kind { operation_NONE, operation_KNOWN, operation_UNSEEN };
enum operation_kind operation_of(UInt op, struct operation *operation);
/* instrument_actions.c: enum trace_action of one that is known */
UInt action_of(UInt op, const struct operation *operation);
#endif
