/* Inside instrument*.c: one superblock under work. */
#ifndef RUNTIME_DENORMAL_TRACE_INSTRUMENT_H
#define RUNTIME_DENORMAL_TRACE_INSTRUMENT_H
#include "stretch.h"
#include "libvex_basictypes.h"
#include "libvex_ir.h"
#include "pub_tool_tooliface.h"

/* An expression that only moves words about: where each word of the result comes from. */
enum { MOVE_ZERO = 0xff };
struct move {
    UChar words;
    UChar argument[MOST_WORDS]; /* MOVE_ZERO: none */
    UChar word[MOST_WORDS];
};
Bool move_of(const IRExpr *expression, struct move *move);
Bool passes_demand(
    IROp op); /* not a move, yet what consumes the result consumes the arguments: sign changes, selections */
IRExpr *expression_argument(const IRExpr *expression, UInt index);
UInt expression_arguments(const IRExpr *expression);
IROp expression_operation(const IRExpr *expression); /* Iop_INVALID: it is none */
UInt type_words(IRType type);                        /* 0: nothing that could hold a floating-point value */

/* What later statements of the superblock do with each temporary. */
enum { demand_FLOAT = 1, demand_DOUBLE = 2 };
struct use {
    Bool to_integer, elsewhere; /* is converted to an integer; is used by other things */
    UChar demand;               /* operations that consume it: of which width */
    Bool vector;                /* goes into a vector register or operation */
    Bool ever;                  /* is read at all, other than as the address to go to */
    UChar words;                /* that the instruction means: a bit each */
    UInt instruction;           /* the earliest that uses it, counted from the end; 0: none does */
};
void uses_find(const IRSB *block, struct use *uses);
/* instrument_lanes.c: after uses_find */
void lanes_find(const IRSB *block, struct use *uses);
UInt operation_lanes_meant(const struct operation *operation, UInt words); /* of the result: a bit each */
/* First word of the vector registers at an offset of the guest state; NOT_A_REGISTER: elsewhere. */
UInt register_word(Int offset);
UInt any_register_word(Int offset); /* of general registers too */

/* Words of the area that one value was put aside in. */
struct cell {
    IRTemp temporary;
    IRType type;
    UChar width; /* 4, 8; 0: not known */

    IRTemp test[2];  /* of singles, of doubles: a V128 mask, or an I64; IRTemp_INVALID: not made yet */
    Bool counted[2]; /* in the present stretch's verdict */
};

struct work {
    IRSB *block; /* that is made */
    const VexGuestLayout *layout;
    Addr superblock;
    UInt translation;
    Bool has_stretch; /* at least one was made */
    struct use *uses;
    const IRExpr **definitions; /* of each temporary; NULL: none that matters */
    Ref (*words)[MOST_WORDS];   /* of each temporary */
    Bool *from_vector;          /* each temporary: integers read out of vector registers */
    UChar *from_numbers;        /* each temporary: enum made */
    Int temporaries;
    Ref registers[MOST_REGISTER_WORDS];
    Bool written[MOST_REGISTER_WORDS], overwritten[MOST_REGISTER_WORDS]; /* since the stretch began */
    IRTemp unfollowed[VECTOR_REGISTER_WORDS]; /* made of numbers in a way that is not followed, put into the
                                                 registers from this word on; IRTemp_INVALID: none */
    UInt next_word;
    struct cell cells[AREA_WORDS];
    UInt cell_count;
    UShort cell_of[AREA_WORDS];
    struct step steps[AREA_WORDS];
    UInt step_count;
    Bool has_integer_store;
    Bool has_opaque;                    /* values of this stretch that are known by their bits alone */
    struct site *computing[AREA_WORDS]; /* sites that compute in this stretch */
    UInt computing_count;
    IRTemp vector_verdict[2], integer_verdict; /* vectors of singles, of doubles; scalars */
    IRTemp page_verdict;                       /* of integer accesses */
    UInt vectors_tested;
    IRTemp constants[9];
    Addr instruction;
    struct site *site; /* of it; NULL: not needed yet */
    Bool fresh;        /* no operation of the present instruction was met yet */
};

/* instrument_limits.c */
void limits_note(struct work *work, const IRStmt *statement);
void limits_note_operation(const struct work *work, UInt op);

/* instrument_tests.c */
IRTemp emit(struct work *work, IRType type, IRExpr *expression);
IRExpr *temporary(IRTemp number);
void verdict_add_cell(struct work *work, UInt cell, UInt width);
void verdict_add_page(struct work *work, IRExpr *address);
void verdict_add_cell_on_page(struct work *work, UInt cell, IRExpr *address);
IRExpr *verdict(struct work *work); /* NULL: nothing was tested */
#endif
