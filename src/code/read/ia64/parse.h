/* The text of one IA-64 instruction, parsed into predicate, mnemonic and operands. ia64/describe.c knows what
   the mnemonic means and which operands it takes. */
#ifndef CODE_READ_IA64_PARSE_H
#define CODE_READ_IA64_PARSE_H
#include "code/read/ia64/ia64.h"

enum parsed_shape {
    PARSED_REGISTER,
    PARSED_NUMBER,
    PARSED_SYMBOL,      /* an expression with a name in it */
    PARSED_MEMORY,      /* [r] */
    PARSED_FILE,        /* rr[r] */
    PARSED_NO_REGISTER, /* r128: looks like one; may be a label */
};

struct parsed_operand {
    uint8_t shape;
    uint16_t start, length; /* in the text */
    uint16_t number;        /* of the register, of the file, of the base */
    uint16_t index;         /* register that indexes the file */
    int64_t value;
};

struct parsed {
    const char *text;
    uint16_t predicate; /* number of the register, 0 for none */
    uint16_t predicate_start, predicate_length;
    uint16_t name_start, name_length; /* without completers */
    uint16_t completers_length;       /* they follow the name, with their dots */
    struct parsed_operand operands[MOST_OPERANDS];
    uint8_t operand_count, result_count; /* results come before the = */
    struct ia64_facts *facts;
};

enum { LONGEST_INSTRUCTION = 60000 };

/* false with the reason in facts->complaint; the part before the error is filled in. */
bool ia64_parse_head(const char *text, struct parsed *parsed, struct ia64_facts *facts);
bool ia64_parse_operands(struct parsed *parsed);

/* The value of an expression, with the precedence of GNU as: unary, then * / % << >>, then & | ^ !, then +
   and -.  is_symbolic if it has an unknown name. false with a complaint if it is not an expression. */
bool ia64_evaluate(const struct parsed *parsed, size_t start, size_t length, int64_t *value,
                   bool *is_symbolic);

/* Sets the complaint, unless there is one, and returns false. */
bool ia64_complain(struct ia64_facts *facts, size_t start, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
