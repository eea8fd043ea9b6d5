/* Assembly listings.

   A listing is read twice.  Its text gives directives, labels and comments, with the compiler's remarks; its
   instructions become code.  For IA-64, ia64/listing.h does that: each instruction takes a slot of a 16-byte
   bundle in a section with made-up bytes (code/read/ia64/code.h), so that code/structure/ finds functions,
   blocks and loops as in a binary.  For x86-64 and AArch64 the assembler of binutils makes an object file,
   which the ELF reader reads (assembled.h); marks before the statements show which line became which bytes.

   All listings of one ISA that are read together make one program. */
#ifndef CODE_READ_LISTING_LISTING_H
#define CODE_READ_LISTING_LISTING_H
#include "code/read/read.h"

struct listing_source {
    const char *path;
    struct span text; /* kept by the model */
    uint32_t file;    /* row of files */
    /* If the C preprocessor produced the text (preprocess.h): the original file, and the number of headers
       that were not found.  Lines are the same, columns are not. */
    struct span original;
    unsigned missing_headers;
};

/* What a text seems to be. */
struct listing_guess {
    enum isa isa;      /* isa_NONE: none that Assay reads */
    const char *other; /* then: its likely instruction set; NULL if unknown */
    bool is_assembly;
    bool may_be[isa_COUNT]; /* some line votes for it */
};
/* By the name of the file, as compilers and people name them: .s, .S, .sx and .asm. */
bool listing_is_named(const char *path);
/* is_named: it is a listing by its name, so it is not taken for prose or C. */
struct listing_guess listing_guess(struct span text, bool is_named);
/* Sets the error for a text whose guess is isa_NONE; returns false. */
bool listing_refuse(const char *path, const struct listing_guess *guess, struct error *error);
/* Adds one program and keeps the text.  Errors in the text become rows of problems with file, line, column
   and the offending word. */
bool listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                  const struct read_options *options, struct error *error);
bool ia64_listing_read(struct model *model, struct listing_source *sources, size_t count,
                       struct error *error);
bool assembled_listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                            const struct read_options *options, struct error *error);

#endif
