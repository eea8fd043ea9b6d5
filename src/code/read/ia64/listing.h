/* The parts of the reader of IA-64 listings.

   ia64/listing.c             the entry: one program from all files, rows made final at the end
   ia64/listing_statements.c  text becomes statements: labels, assignments, directives, instructions, comments
   ia64/listing_directives.c  what directives do
   ia64/listing_comments.c    the compilers' remarks in comments
   ia64/listing_names.c       names that stand for registers and numbers; constant expressions
   ia64/listing_texts.c       distinct instruction texts, each described once
   ia64/listing_bundles.c     instructions get their slots
   ia64/listing_symbols.c     labels, functions, sections, branch targets
   ia64/listing_macros.c      .macro, .rept, .irp and #define
   ia64/listing_conditions.c  .if … .endif

   While files are read, an address is a section's number from 1 above bit 40 and an offset below it; once
   all sizes are known they become addresses.  A pointer into a table of the model is never kept. */
#ifndef CODE_READ_IA64_LISTING_H
#define CODE_READ_IA64_LISTING_H
#include "base/hash_index.h"
#include "code/read/ia64/code.h"
#include "code/read/listing/listing.h"

enum {
    SECTION_SHIFT = 40,
    MOST_TEXT = 1000, /* characters of one instruction */
    MOST_NOTES = 100, /* problems with a row of their own */
    MOST_MACRO_DEPTH = 100,
};

/* A map from interned strings to small numbers that is emptied by counting up its age. */
struct listing_map {
    struct array slots; /* of struct listing_map_slot */
    uint32_t age;
};

/* A stretch of the text. */
struct words {
    const char *start;
    size_t length;
};

struct listing_section {
    string_id name;
    uint32_t file;
    bool is_code, is_writable;
    struct array code; /* of bytes, whole bundles */
    uint64_t address;
};

/* A name that a file declares or defines. */
struct listing_name {
    string_id name;
    uint64_t address, size; /* NO_ADDRESS: not defined; and not as code */
    uint32_t line;
    bool is_function, is_global;
    bool is_loose;  /* is outside .proc, after code that control does not pass */
    bool is_jumped; /* something jumps there */
};

struct listing_reference {
    uint64_t place, value;
    string_id symbol;
    uint32_t row; /* index + 1 in listing_instructions */
    bool is_call;
    int64_t addend;
};

/* What a name stands for in instructions. */
struct listing_alias {
    string_id value;      /* text; 0 for rotating registers */
    char letter;          /* of rotating registers: r, f or p; 0 for a text */
    uint16_t first, size; /* of rotating registers */
};

struct listing_macro {
    string_id name;
    struct words parameters, body;
    bool is_alternate; /* .altmacro: parameters without a backslash, & between words */
};

enum bundle_kind { BUNDLE_NONE, BUNDLE_IMPLICIT, BUNDLE_TEMPLATE_ONLY, BUNDLE_EXPLICIT };
struct listing_bundle {
    enum bundle_kind kind;
    int template_number;   /* -1: none */
    unsigned count;        /* instructions in it */
    unsigned slots;        /* hardware slots that they take, including no-ops that the assembler adds */
    size_t offset;         /* of its bytes, once there are any */
    uint32_t line, column; /* of its brace */
    bool is_overfull;      /* has more than three instructions; that was reported */
};

struct listing_problem {
    string_id text;
    uint64_t address, count;
    enum problem_kind kind;
};

/* One distinct text as written, and its meaning with the current names. */
struct written_text {
    const char *text;
    uint32_t length;
    uint32_t number; /* of struct ia64_texts */
    uint32_t generation;
    string_id target; /* symbol that it jumps to, without the final # */
    int64_t addend;
    uint32_t local; /* target is the numeric label … */
    char direction; /* … b or f; 0 for a name */
    bool has_names;
    bool is_alloc;
    uint8_t ins, locals; /* of alloc */
    bool is_complained;  /* something is wrong with it */
    uint32_t note;       /* number of its problem, from 1 */
};

/* The facts about a number of struct ia64_texts. */
struct listing_fact {
    uint8_t slot, flow;
    bool is_long, is_unknown;
    uint16_t complaint_start, complaint_length;
    string_id complaint;
};

struct ia64_listing {
    struct model *model;
    uint32_t program;
    struct ia64_texts *texts;
    struct arena *kept; /* texts of instructions */

    /* Where we are. */
    const struct listing_source *source;
    const char *at, *end, *line_start;
    uint32_t line;
    unsigned depth;       /* of macros */
    uint32_t call_column; /* where the outermost macro is used */
    uint64_t expanded;    /* characters that macros made, all in all */
    uint32_t conditions;  /* .if whose .endif is still to come */

    /* Names. */
    struct listing_map section_of, name_of, alias_of, macro_of;
    struct listing_map global_of; /* names of all files, by row of symbols */
    struct array sections;        /* of struct listing_section */
    struct array names;           /* of struct listing_name, of this file */
    struct array aliases;         /* of struct listing_alias */
    struct array macros;          /* of struct listing_macro */
    struct array references;      /* of struct listing_reference, of all files */
    size_t first_reference;       /* of this file */
    struct array section_stack;   /* of uint32_t */
    struct array numeric;         /* of uint32_t: definitions so far of the label 0:, 1:, … */
    uint32_t section, previous_section;
    uint32_t generation;  /* counts changes to the meaning of names */
    unsigned ins, locals; /* of the register stack frame */
    bool has_defines;     /* names may also stand for mnemonics */
    bool is_alternate;    /* .altmacro */

    /* Functions. */
    struct array entries; /* of string_id: those of the open .proc */
    bool is_in_procedure;

    /* Code. */
    struct listing_bundle bundle;
    struct array written; /* of struct written_text */
    struct array facts;   /* of struct listing_fact */
    struct hash_index written_index, text_index;
    struct description description; /* of the text that is looked at */
    bool has_stopped;               /* nothing since the last stop */
    bool goes_on;                   /* control may pass the last instruction */
    uint32_t stop_line;             /* line of the last stop */
    uint32_t last;                  /* index + 1 of the last instruction in listing_instructions, for stops */
    size_t last_bundle;             /* where its bundle starts */
    unsigned last_slot;             /* its place in it */
    size_t open_group;              /* start + 1 of the last bundle of the section; 0: none */
    uint32_t last_on_line;          /* the same, if it is on this line: for comments */

    /* The compilers' remarks. */
    uint32_t unit;
    struct array flags;     /* of char: options of the compiler */
    uint32_t source_file;   /* row of files that lines refer to */
    struct array file_rows; /* of uint32_t: row of files for .file numbers */
    uint32_t loc_file, loc_line, loc_column;
    size_t first_source_line;
    double probability; /* of the next branch */
    uint32_t
        waiting_blocks; /* rows of compiler_blocks, the last ones, that start with the next instruction */
    size_t first_block;

    /* Problems. */
    struct array problems; /* of struct listing_problem */
    uint64_t unnamed;      /* those beyond MOST_NOTES */
    uint32_t macro_note;   /* number of the problem that counts unknown macros of this file; 0: none yet */
};

static inline uint64_t encode_address(uint32_t section, uint64_t offset)
{
    return (uint64_t)(section + 1) << SECTION_SHIFT | offset;
}
static inline struct listing_section *listing_section_now(const struct ia64_listing *listing)
{
    return ARRAY_AT(struct listing_section, &listing->sections, listing->section);
}

/* Text. */
extern const uint8_t listing_classes[256];
enum { CLASS_BLANK = 1, CLASS_NAME = 2, CLASS_DIGIT = 4, CLASS_END = 8 };
static inline bool is_blank(char c)
{
    return listing_classes[(uint8_t)c] & CLASS_BLANK;
}
static inline bool is_name(char c)
{
    return listing_classes[(uint8_t)c] & CLASS_NAME;
}
static inline bool is_digit(char c)
{
    return listing_classes[(uint8_t)c] & CLASS_DIGIT;
}
struct words listing_trim(struct words words);
/* The words before the next separator, which is removed; separators in quotes and brackets do not count. */
struct words listing_split(struct words *rest, char separator);
/* A name without quotes and the # at its end. */
struct words listing_bare(struct words words);
bool listing_equals(struct words words, const char *text);
/* Removes a number from the start of words. */
bool listing_take_number(struct words *words, uint64_t *number);
string_id listing_intern(struct ia64_listing *listing, struct words words);
void listing_read_text(struct ia64_listing *listing, const char *start, const char *end);
/* Adds a row of directives at this place; name 0 for none. */
void listing_add_directive(struct ia64_listing *listing, enum directive_kind kind, uint32_t line,
                           string_id name, struct words text);

/* Problems: %s words in format.  at is where in the text, for the column; NULL: the current place. */
uint32_t listing_note(struct ia64_listing *listing, enum problem_kind kind, const char *at,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
uint32_t listing_note_at(struct ia64_listing *listing, enum problem_kind kind, uint32_t line, uint32_t column,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));
void listing_note_again(struct ia64_listing *listing, uint32_t note);
/* A word for a message: cut, without unprintable characters. */
const char *listing_word(char buffer[64], struct words words);

uint32_t listing_map_find(const struct listing_map *map, string_id key); /* 0: not there */
void listing_map_set(struct listing_map *map, string_id key, uint32_t value);
void listing_map_empty(struct listing_map *map);

/* Names. */
bool listing_evaluate(struct ia64_listing *listing, struct words words, int64_t *value);
/* is_late: the words are evaluated where the name is used. */
void listing_assign(struct ia64_listing *listing, struct words name, struct words value, bool is_late);
void listing_define(struct ia64_listing *listing, struct words name, struct words value);
void listing_rotate(struct ia64_listing *listing, char letter, struct words operands);
void listing_set_frame(struct ia64_listing *listing, unsigned ins, unsigned locals);
/* Replaces names by their values; buffer holds MOST_TEXT + 1.  Returns whether there was any name. */
bool listing_resolve(struct ia64_listing *listing, const char *text, size_t length, char *buffer,
                     size_t *resolved_length);

/* Instructions. */
struct written_text *listing_find_text(struct ia64_listing *listing, const char *text, size_t length,
                                       struct words raw);
const struct listing_fact *listing_fact(const struct ia64_listing *listing, const struct written_text *text);
void listing_add_instruction(struct ia64_listing *listing, struct written_text *text, struct words raw);
void listing_stop(struct ia64_listing *listing);
/* The assembler puts a stop before anything that is not code. */
void listing_imply_stop(struct ia64_listing *listing);
void listing_open_bundle(struct ia64_listing *listing);
void listing_close_bundle(struct ia64_listing *listing);
void listing_set_template(struct ia64_listing *listing, struct words name);
bool listing_is_template(const struct ia64_listing *listing, struct words name);
/* The assembler starts a new bundle here. */
void listing_end_bundle(struct ia64_listing *listing);
/* At the end of a file, a section or a function: nothing may be open. */
void listing_finish_bundle(struct ia64_listing *listing);
/* Address of the next instruction; NO_ADDRESS outside code. */
uint64_t listing_here(const struct ia64_listing *listing);

/* Symbols. */
struct listing_name *listing_name(struct ia64_listing *listing, struct words name);
void listing_add_label(struct ia64_listing *listing, struct words name, bool is_global, bool is_tag);
void listing_enter_section(struct ia64_listing *listing, struct words name, struct words flags);
void listing_add_reference(struct ia64_listing *listing, const struct written_text *text, uint64_t place);
void listing_skip_data(struct ia64_listing *listing, uint64_t bytes);
void listing_begin_file(struct ia64_listing *listing);
void listing_end_file(struct ia64_listing *listing);
void listing_begin_procedure(struct ia64_listing *listing, struct words names);
void listing_end_procedure(struct ia64_listing *listing);

/* Directives, comments, macros. */
void listing_directive(struct ia64_listing *listing, struct words name, struct words operands);
bool listing_is_data(struct words name);
void listing_comment(struct ia64_listing *listing, struct words comment, uint32_t line);
void listing_preprocessor(struct ia64_listing *listing, struct words text);
void listing_set_line(struct ia64_listing *listing, uint64_t address, uint32_t file, uint32_t line,
                      uint32_t column);
void listing_set_producer(struct ia64_listing *listing, struct words producer);
/* Whether name is a macro; then it was expanded. */
bool listing_use_macro(struct ia64_listing *listing, struct words name, struct words operands);
/* .macro, .rept, .irp …: takes the body from the text. */
bool listing_take_macro(struct ia64_listing *listing, struct words name, struct words operands);
/* .if, .else …: skips what is not assembled. */
bool listing_take_condition(struct ia64_listing *listing, struct words name, struct words operands);
void listing_finish_conditions(struct ia64_listing *listing); /* at the end of a file */
#endif
