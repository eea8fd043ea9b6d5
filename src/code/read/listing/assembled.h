/* The parts of the reader of x86 and AArch64 listings.

   assembled_text.c        text becomes statements, and a copy with marks in it
   assembled_directives.c  what a directive is: does it make bytes, change the section, hold other lines?
   assembled_labels.c      which labels begin functions
   assembled_tool.c        the copies go through the assembler, the objects through the linker
   assembled_marks.c       marks tell which statement became which bytes
   assembled.c             the entry: one program from all files, and the rows

   A mark is a label that the reader puts before a statement, on the same line, so that the assembler's
   messages name the lines of the listing.  A label changes no byte, but a hundred thousand of them double the
   assembler's time.  So in a run of instructions only every sixteenth gets one, and the number of
   instructions between two marks must equal the number of statements.  If it does not, everything is done
   again with a mark for each statement.  Code from a macro or .rept belongs to the line that uses it. */
#ifndef CODE_READ_LISTING_ASSEMBLED_H
#define CODE_READ_LISTING_ASSEMBLED_H
#include "code/read/listing/listing.h"

enum { MARK_SPACING = 16 };
#define NO_EMITTER UINT32_MAX

/* A statement that may emit bytes, or a point where the text leaves a section. */
enum emitter_kind {
    emitter_INSTRUCTION, /* usually one instruction per statement */
    emitter_OTHER,       /* macros, repetitions, data, alignment, included files */
    emitter_BORDER,      /* emits none: the text leaves the section here */
};

struct emitter {
    uint32_t line, column;
    uint8_t kind; /* enum emitter_kind */
    bool has_mark;
    bool is_end;         /* control does not continue to the next one */
    struct span comment; /* without its signs */
};

/* A statement other than an instruction, or a part of one (a label), or a comment. */
struct assembled_word {
    uint32_t line;
    uint32_t emitter; /* the emitter at the same place; NO_EMITTER outside code */
    uint8_t kind;     /* enum directive_kind */
    struct span name, text;
};

/* A name that an instruction jumps to or calls. */
struct assembled_reference {
    struct span name;
    bool is_call;
};

struct assembled_text {
    struct array emitters;   /* of struct emitter, in the order of the text */
    struct array words;      /* of struct assembled_word */
    struct array references; /* of struct assembled_reference */
    struct array copy;       /* of char: what the assembler gets */
    uint32_t line_count;
};

/* file is the number of the listing, for the names of its marks: prefix, file in hexadecimal, $, number of
   the emitter in hexadecimal.  spacing 0: no marks at all. */
void assembled_lex(struct span text, enum isa isa, const char *prefix, unsigned file, unsigned spacing,
                   struct assembled_text *result);
void assembled_free(struct assembled_text *text);

enum directive_effect {
    directive_EMITS,     /* or may */
    directive_SILENT,    /* makes no bytes */
    directive_SECTION,   /* changes the section */
    directive_CONDITION, /* decides whether lines count */
    directive_MACRO,     /* until .endm */
    directive_REPEAT,    /* until .endr */
    directive_END_MACRO,
    directive_END_REPEAT,
};
enum directive_effect assembled_directive(const char *name, size_t length);

/* The current section of a listing, as far as it matters. */
struct assembled_sections {
    bool is_code, was_code; /* or may be */
    bool pushed[64], pushed_was[64];
    unsigned depth;
};
void assembled_enter_section(struct assembled_sections *sections, const char *name, size_t length,
                             struct span operands);

/* Labels inside functions: something jumps to them or control falls into them, and nothing calls them.  By
   name. */
struct strings assembled_inner_labels(const struct assembled_text *texts, size_t count);

/* A prefix for the names of marks that no name in the listings has. */
void assembled_choose_prefix(const struct listing_source *sources, size_t count, char *prefix, size_t size);

/* The listings of one program, for the assembler. */
struct assembling {
    enum isa isa;
    const struct listing_source *sources;
    size_t count;
    const struct read_options *options;
    int64_t deadline; /* limit for the assembler and the linker together, in seconds */
    /* Called for each error that the assembler reports, of a text that stands alone (assembled_tool.c): no
       file may be read for it.  NULL: the first one becomes the error. */
    void (*refuse)(struct array *refusals, uint32_t line, const char *said);
    struct array *refusals;
};
int64_t assembled_deadline(const struct listing_source *sources, size_t count);
/* All texts as one object file, for bytes_free or bytes_keep.  is_refused: the assembler found an error in a
   text. */
bool assembled_assemble(const struct assembling *work, const struct assembled_text *texts,
                        struct span *object, bool *is_refused, struct error *error);

/* Where marks are in an object file. */
struct assembled_mark {
    uint64_t offset;  /* in its section; an address after assembled_place */
    uint32_t section; /* number in the object file; row of sections after assembled_place */
    uint32_t file, emitter;
};
struct array assembled_marks(struct span object, const char *prefix); /* of struct assembled_mark, sorted */
/* Whether each stretch between marks has as many instructions as statements. */
bool assembled_agrees(struct span object, enum isa isa, const struct array *marks,
                      const struct assembled_text *texts);
/* Gives marks addresses and rows of sections; drops marks outside the program's code. */
void assembled_place(const struct model *model, uint32_t program, struct span object, struct array *marks);
/* Adds rows of listing_instructions. addresses[file][emitter] gets the address of each emitter, or
   NO_ADDRESS. */
void assembled_add_instructions(struct model *model, uint32_t program, const struct array *marks,
                                const struct listing_source *sources, const struct assembled_text *texts,
                                size_t count, uint64_t **addresses);

/* One program from the object file of listings.  In read.c. */
struct elf_listing;
bool read_elf_of_listing(struct model *model, const char *path, struct span object,
                         const struct elf_listing *listing, const struct read_options *options,
                         struct error *error);
#endif
