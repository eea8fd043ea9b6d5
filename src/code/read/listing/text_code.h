/* A piece of code as a text: instructions and labels that a person types, and what the assembler makes of
   them, line by line.

   Unlike a listing it is not a program: there are no functions and no sections.  It may come from anybody, so
   nothing in it can make the assembler read a file or write much: of all directives it may have those that
   name a syntax, bytes or an alignment; those that compilers put around code (.loc, .globl, …) are skipped,
   and all others are refused.

   Two things keep what a piece of a program knew.  A line `# at 0x401130` gives the address of what follows
   (windows of the front end depend on it; default: the code starts at 0 and has no holes).  And a name that
   ends in an underscore and at least four hexadecimal digits, such as data_601040, has that address if no
   label defines it; other undefined names get addresses far from everything. */
#ifndef CODE_READ_LISTING_TEXT_CODE_H
#define CODE_READ_LISTING_TEXT_CODE_H
#include "model/model.h"

enum { MOST_TEXT_CODE = 256 << 10 };

struct text_instruction {
    uint32_t offset, size; /* in the bytes */
    uint32_t line;         /* of the text, from 1; 0: unknown */
    bool is_raw;           /* the text has its bytes: jumps lead where they led elsewhere */
    uint64_t address;
    uint64_t target; /* address that a PC-relative operand refers to; NO_ADDRESS: it has none */
};

/* What is wrong with a line; line 0: with the whole text. */
struct text_refusal {
    uint32_t line;
    char *words; /* "unknown mnemonic vaddpz" */
};

struct text_code {
    enum isa isa;
    struct array bytes;        /* of uint8_t */
    struct array instructions; /* of struct text_instruction; none of bytes that come from elsewhere */
    struct array refusals;     /* of struct text_refusal, by line */
    bool has_addresses;        /* a line gives one */
};

void text_code_begin(struct text_code *code, enum isa isa);
void text_code_end(struct text_code *code);
/* Assembles a text.  false: there are refusals, or, with the error set, nothing could be assembled at all. */
bool text_code_read(struct text_code *code, const char *text, size_t size, struct error *error);
/* "FILE:3: unknown mnemonic vaddpz": the first refusal as an error. */
bool text_code_refuse(const struct text_code *code, const char *where, struct error *error);
/* Whether a text has only what text_code_read takes, as far as one sees without the assembler. */
bool text_code_is_plain(enum isa isa, const char *text, size_t size);
/* The instruction that the last one refers to, from 0: if that is a branch, a loop starts there, and what is
   before it leads into the loop.  The number of instructions if it refers to none of them. */
size_t text_code_loop_start(const struct text_code *code);
#endif
