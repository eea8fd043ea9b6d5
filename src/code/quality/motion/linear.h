/* Instructions that compute a sum: of registers and of what is in memory, each times a constant. */
#ifndef CODE_QUALITY_MOTION_LINEAR_H
#define CODE_QUALITY_MOTION_LINEAR_H
#include "code/quality/subject.h"

enum { MOST_LINEAR_PARTS = 3, MOST_LINEAR_RESULTS = 3 };

enum linear_kind { linear_CONSTANT, linear_REGISTER, linear_MEMORY };

struct linear_part {
    enum linear_kind kind;
    uint16_t resource; /* REGISTER */
    uint8_t access;    /* MEMORY: of the accesses of the instruction's cost */
    bool is_product;   /* times the next part */
    int64_t offset;    /* MEMORY: bytes after the address of the access */
    int64_t factor;
};

/* What is done to a sum that turns out to be a constant: the bits of vector lengths. */
enum linear_fold { fold_NONE, fold_AND, fold_OR, fold_RIGHT };

struct linear_result {
    bool is_stored; /* to accesses[access], offset bytes after its address; else to the resource */
    uint8_t access;
    int64_t offset;
    uint16_t resource;
    struct linear_part parts[MOST_LINEAR_PARTS];
    unsigned part_count;
    int64_t constant;
    enum linear_fold fold; /* of its one part, with a constant; undefined if that is not a constant */
    int64_t folded;
};

/* An instruction of the path, or one outside that something comes from. */
struct linear_instruction {
    const struct subject *subject;
    const struct subject_item *item; /* its rows at least */
    const struct machine_cost *cost;
};

/* The results that are sums of 32 bits or more, how many there are; a result that is none of them is
   anything. Something that is loaded counts as a sum of itself. */
unsigned linear_results(const struct linear_instruction *instruction,
                        struct linear_result results[MOST_LINEAR_RESULTS]);
/* The operand in memory whose base the access itself moves; NULL for none. */
const struct operand *linear_stepped(const struct subject_item *item);
#endif
