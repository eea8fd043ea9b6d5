/* Code of a program as a text that can be edited and assembles to the same code again.

   The inverse of text_code.h.  Jumps within the piece get labels, other addresses names that end in them
   (out_401130, fn_401040, data_601040), holes between blocks lines such as `# at 0x401150`.  An assembler
   chooses among several encodings of an instruction, and the cycles may depend on its size: the text is
   assembled and compared, and what came out differently is spelled with a pseudo prefix ({load}, {disp32}) or
   as bytes, with the instruction in a comment. */
#ifndef CODE_READ_LISTING_CODE_TEXT_H
#define CODE_READ_LISTING_CODE_TEXT_H
#include "model/model.h"

struct code_line {
    const uint8_t *bytes;
    uint8_t size;
    uint8_t flow;     /* enum flow */
    const char *text; /* @ stands for the PC-relative address */
    uint64_t address, target;
    const char *name; /* of the target; NULL: none */
};

struct code_text {
    enum isa isa;
    const struct code_line *lines;
    size_t count;
    size_t start; /* line where the loop starts; those before it lead into the loop */
    /* Filled. */
    char *text;         /* to be freed */
    unsigned raw_count; /* lines that had to be spelled as bytes */
};

bool code_text_write(struct code_text *work, struct error *error);
#endif
