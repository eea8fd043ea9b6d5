/* Sums of symbols, and what symbols stand for. Only the files of motion/ include this. */
#ifndef CODE_QUALITY_MOTION_SUMS_H
#define CODE_QUALITY_MOTION_SUMS_H
#include "code/quality/motion/motion.h"

enum { MOST_DEPENDED = 6, MOST_OUTSIDE = 64 };

enum symbol_kind {
    symbol_REGISTER, /* as the iteration finds it */
    symbol_PLACE,    /* of memory, likewise */
    symbol_MADE,     /* by an instruction, of what it depends on */
    symbol_PRODUCT,  /* of two sums */
    symbol_OUTSIDE,  /* was there before the loop */
};

struct motion_symbol {
    enum symbol_kind kind;
    bool is_changed;   /* REGISTER, PLACE: end says what it is at the end of an iteration */
    bool is_wild;      /* MADE: depends on more than depended says */
    bool is_settled;   /* motion is known */
    uint16_t resource; /* REGISTER, OUTSIDE */
    /* OUTSIDE: the instruction that defined it, 0 for the function's entry; or, for an unknown definition,
     * the one that uses it. */
    uint32_t instruction;
    bool is_use;
    uint8_t access; /* OUTSIDE, loaded: which access of the instruction, */
    int64_t offset; /* and how far after its address, because a load may fill several registers */
    bool has_start; /* REGISTER: place says what it was before the loop */
    unsigned depended_count;
    uint32_t depended[MOST_DEPENDED];
    struct motion_sum place; /* PLACE: address; PRODUCT: one side */
    struct motion_sum end;   /* PRODUCT: the other side */
    struct motion motion;
};

/* By number; number 0 is none. */
struct motion_symbols {
    struct array rows;
    uint32_t outside[MOST_OUTSIDE]; /* the first ones of that kind */
    unsigned outside_count;
    /* Two uses of a register with the same several definitions have the same value: nearly always so within
     * an iteration of the loop around, but not if one of the definitions runs between the uses. */
    bool joins_uses;
};

static inline struct motion_symbol *motion_symbol_at(const struct motion_symbols *symbols, uint32_t symbol)
{
    return ARRAY_AT(struct motion_symbol, &symbols->rows, symbol);
}

uint32_t motion_symbol_add(struct motion_symbols *symbols, enum symbol_kind kind);
/* The symbol depends on those of the sum. */
void motion_symbol_depend(struct motion_symbol *symbol, const struct motion_sum *sum);

static inline int64_t motion_plus(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}
static inline int64_t motion_times(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one * (uint64_t)other);
}
struct motion_sum motion_sum_of(uint32_t symbol);
/* one + factor × other; a new symbol where that has too many terms. */
struct motion_sum motion_add(struct motion_symbols *symbols, const struct motion_sum *one,
                             const struct motion_sum *other, int64_t factor);
/* What a sum of an instruction is, given the values of its parts. */
struct linear_result;
typedef struct motion_sum motion_part(void *context, unsigned part);
struct motion_sum motion_compute(struct motion_symbols *symbols, const struct linear_result *result,
                                 motion_part *value, void *context);

/* How all symbols move. */
void motion_settle(const struct motion_symbols *symbols);
/* How a sum moves, if the motion of all its symbols is known. */
bool motion_of_sum(const struct motion_symbols *symbols, const struct motion_sum *sum, struct motion *motion);

/* The value of a register before the loop, as the instruction `use` reads it: motion/outside.c. */
struct motion_sum motion_outside(const struct subject *subject, struct motion_symbols *symbols,
                                 uint16_t resource, uint32_t use);
#endif
