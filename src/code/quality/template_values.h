/* What the results of a path are made of, as far as templates are concerned: a sum, of which only the kinds
   of its terms are counted. */
#ifndef CODE_QUALITY_TEMPLATE_VALUES_H
#define CODE_QUALITY_TEMPLATE_VALUES_H
#include "code/quality/motion/motion.h"
#include "code/quality/values.h"

enum { TERM_LOADS = 4, CARRIED_IN_MEMORY = UINT32_MAX - 1 };

struct template_value {
    bool is_known;
    unsigned plain;      /* numbers that were loaded */
    unsigned scaled;     /* such a number times a value that stays */
    unsigned products;   /* two such numbers */
    unsigned invariant;  /* values that stay */
    unsigned carried;    /* what the iteration before left */
    uint32_t carried_by; /* the item that left it; CARRIED_IN_MEMORY */
    bool is_extended;    /* a load made it wider */
    uint32_t plain_load; /* the items of one term of each kind, of references; UINT32_MAX: none */
    uint32_t scaled_load;
    int64_t plain_shift, scaled_shift; /* bytes after the place of the access: the second of a pair (ldp) */
    uint32_t product_loads[2];
};

struct template_values {
    const struct subject *subject;
    struct values values;
    const struct motion_reference *references;
    unsigned reference_count;
    struct template_value *made; /* by item: what it writes to its register */
    uint8_t *state;              /* by item: 0 not yet, 1 at work, 2 done */
    uint8_t *is_used;            /* by item: it is part of a value that was asked for */
    /* Products must pair the same elements of the same arrays, with the same sign: x[i] * y[i] + x[i] * y[i +
       1] or x[i] * y[i] - x[i + 1] * y[i + 1] are no scalar product. */
    uint32_t paired[2]; /* the loads of the first product */
    int64_t paired_shift[2];
    string_id fused; /* name of the first multiply-add; 0: none */
    bool adds, subtracts, is_mixed;
};

void template_values_find(struct template_values *all, const struct subject *subject);
/* What an item computes. */
struct template_value template_value_of(struct template_values *all, uint32_t item);
/* What an item stores: the n-th of its register operands, from 0; false: it has no more. */
bool template_value_stored(struct template_values *all, uint32_t item, unsigned n,
                           struct template_value *value);
/* Whether two accesses go through the same array, any distance apart. */
bool template_is_same_array(const struct template_values *all, uint32_t one, uint32_t other);
bool template_is_same_place(const struct template_values *all, uint32_t one, uint32_t other);
#endif
