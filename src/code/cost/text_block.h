/* The cycles of a piece of code that is a text (code/read/listing/text_code.h), or of bytes without a program
   around them.

   A piece that ends in a branch to one of its instructions is a loop from there on; what stands before that
   instruction leads into the loop and costs nothing, but says where addresses point.  Other pieces are
   repeated without a branch, unless the caller says that they are a loop. */
#ifndef CODE_COST_TEXT_BLOCK_H
#define CODE_COST_TEXT_BLOCK_H
#include "code/cost/loops.h"
#include "code/read/listing/text_code.h"
#include "code/structure/snippet.h"

enum text_mode { text_AS_IT_ENDS, text_LOOP, text_UNROLLED };

struct text_block {
    const struct text_code *code;
    struct snippets snippets; /* its model has the encodings */
    struct block_costs costs; /* ids of its items are numbers of instructions, from 0 */
    bool has_costs;
    struct loop_path path; /* the result */
    enum cost_mode mode;
    size_t first;         /* instruction of the block; those before it lead into the loop */
    struct array targets; /* of uint64_t: of its items, NO_ADDRESS for none */
};

/* Decodes the piece, which must live as long.  To be ended in any case. */
bool text_block_begin(struct text_block *block, const struct text_code *code, struct error *error);
void text_block_end(struct text_block *block);
/* Whether the piece ends in a branch to one of its instructions. */
bool text_block_is_loop(const struct text_block *block);
/* The cycles on a machine, with marks; path.cycles is NaN where there is no answer. */
void text_block_predict(struct text_block *block, const struct machine *machine, enum text_mode mode);
#endif
