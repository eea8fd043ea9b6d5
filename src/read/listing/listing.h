/* Assembly listings.

   A listing is read twice.  Its text gives directives, labels, comments and what the compiler says in them;
   its instructions become code.  For IA-64 that is done here (ia64/listing.h): each instruction takes its
   slot of a bundle of 16 bytes in a section whose bytes are invented (see ia64/code.h), so that structure/
   finds functions, blocks and loops as it does in a binary.  For x86-64 and AArch64 the assembler of binutils
   makes an object file which the ELF reader reads (assembled.h); marks put before every statement tell which
   line became which bytes.

   All listings of one ISA that are read together make one program. */
#ifndef READ_LISTING_LISTING_H
#define READ_LISTING_LISTING_H
#include "read/read.h"

struct listing_source {
    const char *path;
    struct span text; /* kept by the model */
    uint32_t file;    /* row of files */
    /* Where the C preprocessor made the text (preprocess.h): the file as it was, and headers that were not
       found. Lines are the same, columns are not. */
    struct span original;
    unsigned missing_headers;
};

/* What a text seems to be. */
struct listing_guess {
    enum isa isa;      /* isa_NONE: none that is read */
    const char *other; /* then: which it seems to be; NULL where that cannot be told */
    bool is_assembly;
    bool may_be[isa_COUNT]; /* some line speaks for it */
};
/* By the name of the file, as compilers and people name them: .s, .S, .sx and .asm. */
bool listing_is_named(const char *path);
/* is_named: it is a listing by its name, so prose and C are not thought of. */
struct listing_guess listing_guess(struct span text, bool is_named);
/* The error for a text whose guess is no ISA; false. */
bool listing_refuse(const char *path, const struct listing_guess *guess, struct error *error);
/* Adds one program and keeps the text.  Damage becomes rows of problems that name file, line, column and the
 * offending word. */
bool listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                  const struct read_options *options, struct error *error);
bool ia64_listing_read(struct model *model, struct listing_source *sources, size_t count,
                       struct error *error);
bool assembled_listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                            const struct read_options *options, struct error *error);

/* The text goes into the table listings, compressed. */
void listing_keep_text(struct model *model, uint32_t program, const struct listing_source *source);
#endif
