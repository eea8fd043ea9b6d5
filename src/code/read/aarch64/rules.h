/* The table of mnemonics: what the name of an AArch64 instruction says about it. */
#ifndef CODE_READ_AARCH64_RULES_H
#define CODE_READ_AARCH64_RULES_H
#include "model/model.h"

enum {
    RULE_REPLICATES = 1, /* broadcasts one element of memory to all lanes */
    RULE_PAIR = 2,       /* two registers are one access */
    RULE_EIGHT = 4,      /* the last register means itself and the seven after it */
    RULE_TAGS = 8,       /* works on allocation tags, not on the bytes */
    RULE_MEMORY = 16,    /* set for every row ACCESSES */
    RULE_SIGN = 32,      /* fills with copies of the sign; set for every row EXTENDS */
};

struct aarch64_rule {
    const char *pattern, *implicit, *names;
    uint8_t class, flow, nzcv, memory, bytes, traits;
    char numbers;
};

/* What a mnemonic computes, and when a branch is taken; zeros if nobody follows it. */
struct aarch64_action {
    uint8_t operation, condition;
    const char *names;
};

struct aarch64_rows {
    const struct aarch64_rule *rule;     /* NULL for an unknown mnemonic (from a newer disassembler) */
    const struct aarch64_action *action; /* never NULL */
};
/* Any thread. */
struct aarch64_rows aarch64_find(const char *mnemonic);
#endif
