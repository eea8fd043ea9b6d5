/* The meaning of distinct keys: each is described once and becomes rows of encodings, operands and
   register_uses.  One for all programs of a model.

   The reader defines the meaning of a key: programs with the same reader share their encodings, and a
   listing, which numbers its own texts, has its own vocabulary.  Registers belong to the ISA. */
#ifndef CODE_STRUCTURE_MEANINGS_H
#define CODE_STRUCTURE_MEANINGS_H
#include "code/structure/keys.h"

struct vocabulary {
    const struct isa_reader *reader;
    struct key_table keys;
    struct array encoding_of; /* of uint32_t: row of encodings for a key, 0 where undefined */
};

struct meanings {
    bool is_brief;             /* rows of encodings have no texts, if the reader can leave them out */
    struct array vocabularies; /* of struct vocabulary, one for each reader */
    struct array descriptions; /* of struct description: room to work in */
    struct array first_operand, first_use; /* of uint32_t: by encoding, index into operands / register_uses */
    uint32_t first_register[isa_COUNT]; /* row of registers before the ISA's register 1, plus 1; 0: not there
                                           yet */
};

/* The vocabulary of a reader, made if it is new.  It moves when another one is made. */
struct vocabulary *meanings_vocabulary(struct meanings *meanings, const struct isa_reader *reader);
/* Describes the keys of this reader that are new, on several threads, in order of their numbers. */
void meanings_describe(struct meanings *meanings, struct model *model, const struct isa_reader *reader,
                       unsigned threads);
/* Gives a row of encodings, made from this key, the text that it may not have. */
void meanings_add_text(struct model *model, const struct isa_reader *reader, const struct key *key,
                       uint32_t encoding);
/* Operands of an encoding, and how many. */
const struct operand *meanings_operands(const struct meanings *meanings, const struct model *model,
                                        uint32_t encoding, unsigned *count);
const struct register_use *meanings_uses(const struct meanings *meanings, const struct model *model,
                                         uint32_t encoding, unsigned *count);
/* Counts how often each encoding is used, when all code is there. */
void meanings_count_uses(struct model *model);
/* All code is decoded: no key will be looked up again, only what encodings mean. */
void meanings_forget_keys(struct meanings *meanings);
void meanings_free(struct meanings *meanings);
#endif
