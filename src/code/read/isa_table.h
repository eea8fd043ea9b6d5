/* Tables that tools/isa-table generates from the description of an instruction set (ia64.isa explains the
   format).

   Everything is an index into a flat array: a name has variants, a variant has groups of completers and
   forms, a form has operand patterns.  Registers are named by number as in isa.h. */
#ifndef CODE_READ_ISA_TABLE_H
#define CODE_READ_ISA_TABLE_H
#include "code/read/isa.h"

enum pattern_shape {
    PATTERN_REGISTER, /* numbers first … first + count - 1 are rows of register_ranges */
    PATTERN_NUMBER,   /* rows of number_ranges */
    PATTERN_TARGET,
    PATTERN_MEMORY, /* base: rows of register_ranges */
    PATTERN_FILE,   /* first: the register that represents the file; the index: any of the ranges of memory */
};
enum pattern_mark { MARK_CONDITIONAL = 1, MARK_ALWAYS = 2, MARK_UPDATED = 4 };

struct table_pattern {
    uint8_t shape, marks;
    uint16_t first, count;
    const char *meaning; /* for messages: "a general register" */
};

struct register_range {
    uint16_t first, last;
};

struct number_range {
    int64_t first, last;
};

struct table_form {
    uint8_t count, result_count;
    uint16_t first; /* in form_patterns */
};

struct table_group {
    uint16_t first, count; /* in words, longest first */
};

struct table_word {
    const char *text;
    uint8_t length;
};

enum { MOST_GROUPS = 5 };
enum variant_flag {
    VARIANT_UNPREDICATED = 1,
    VARIANT_LONG = 2,
    VARIANT_ALWAYS = 4 /* the implicit registers are written even if the predicate is false */
};

struct table_variant {
    uint8_t groups[MOST_GROUPS]; /* in groups */
    uint8_t group_count, optional /* bit n: groups[n] may be left out */, flags;
    uint16_t first_form, first_implicit;
    uint8_t form_count, implicit_count;
    uint8_t slot, class, element, flow, operation, vector_bits, load_bytes, store_bytes;
};

struct table_implicit {
    uint16_t number;
    uint8_t access;
    bool keeps_rest;
};

struct table_name {
    const char *text;
    uint16_t first_variant, variant_count;
};

/* r0 … r127: prefix r, first 1, count 128. */
struct register_family {
    const char *prefix;
    uint8_t length;
    uint16_t first, count;
};

struct register_name {
    const char *text;
    uint16_t number;
};

struct named_constant {
    const char *text;
    int64_t value;
};

/* A register that stands for several others at once: pr. */
struct whole_register {
    uint16_t number, first, last;
};

struct isa_table {
    const struct table_name *names; /* in the order of strcmp, as constants and register_names */
    const struct table_variant *variants;
    const struct table_group *groups;
    const struct table_word *words;
    const struct table_form *forms;
    const uint8_t *form_patterns;
    const struct table_pattern *patterns;
    const struct register_range *register_ranges;
    const struct number_range *number_ranges;
    const struct table_implicit *implicits;
    const struct register_family *families;
    const struct register_name *register_names;
    const struct named_constant *constants;
    const struct whole_register *wholes;
    const uint16_t *fixed; /* registers with a constant value */
    unsigned name_count, family_count, register_name_count, constant_count, whole_count, fixed_count;
};

extern const struct isa_table ia64_table;
#endif
