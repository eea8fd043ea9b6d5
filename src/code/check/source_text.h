/* A source file as far as comments and loops need it: not a parser, but what brackets, a few keywords and
   conditionals of the preprocessor show.

   Whoever reads it asks three things: which comments speak to Assay; which lines the statement after a
   comment takes, and the next loop; and which lines have to be in the program if the comment was compiled at
   all, because they are the function around it, or the branch of an #if.

   One vocabulary of tokens serves languages with braces (C, C++, Rust, Go, …) and Fortran, whose do and end
   do are read as braces; assembly has comments only.  The text is hostile: nothing here recurses deeper than
   a limit, and brackets that do not match end at the end of the file. */
#ifndef CODE_CHECK_SOURCE_TEXT_H
#define CODE_CHECK_SOURCE_TEXT_H
#include "base/memory.h"

enum source_kind { source_BRACES, source_FORTRAN, source_ASSEMBLY };

enum source_token_kind {
    source_WORD,      /* any other name, number or string */
    source_SIGN,      /* any other character */
    source_LOOP,      /* for, while, do of Fortran */
    source_DO,        /* do of C: its while comes after it */
    source_CONDITION, /* if, switch */
    source_ELSE,
    source_OPEN,
    source_CLOSE,
    source_PAREN,
    source_PAREN_END,
    source_SEMICOLON,
    source_ASSIGN,
    source_IF, /* of the preprocessor, as the next two */
    source_ELSE_IF,
    source_END_IF,
    source_COMMENT, /* that speaks to Assay */
};

struct source_token {
    enum source_token_kind kind;
    uint32_t line;
    uint32_t partner; /* of an opening bracket: the token that closes it; of an IF or ELSE_IF: the one that
                         ends its branch */
};

struct source_comment {
    uint32_t token, line, column; /* of its text after `assay:` */
    const char *text;
    size_t length;
    bool is_first; /* nothing stands before it in its line */
};

struct source_text {
    enum source_kind kind;
    struct array tokens;   /* of struct source_token */
    struct array comments; /* of struct source_comment */
    uint32_t last_line;
};

struct source_lines {
    uint32_t first, last; /* first 0: none */
};

enum source_kind source_kind_of(const char *path);
/* Whether a text may have such a comment at all: quick. */
bool source_text_mentions(const char *text, size_t length);
/* The text must outlive it. */
void source_text_read(struct source_text *source, enum source_kind kind, const char *text, size_t length);
void source_text_free(struct source_text *source);

/* The statement after a comment; the loop whose line it ends if it stands after one. */
struct source_lines source_text_statement(const struct source_text *source,
                                          const struct source_comment *comment);
/* The loop statements after it in its block, or in the function that begins there, one after the other: *at
   is 0 for the first call.  Also the outer lines of the innermost branch of an #if around the loop, if the
   comment is not in it. */
struct source_lines source_text_next_loop(const struct source_text *source,
                                          const struct source_comment *comment, uint32_t *at,
                                          struct source_lines *branch);
/* The function around a comment, from its head to its end. */
struct source_lines source_text_function(const struct source_text *source,
                                         const struct source_comment *comment);
/* The branches of #if around it, from the innermost: *at is 0 for the first call. */
struct source_lines source_text_branch(const struct source_text *source, const struct source_comment *comment,
                                       uint32_t *at);

/* What the readers of languages add. */
struct source_token *source_text_add(struct source_text *source, enum source_token_kind kind, uint32_t line);
/* Adds the comment from text to end if it begins with `assay:`. */
void source_text_add_comment(struct source_text *source, const char *text, const char *end,
                             const char *line_start, uint32_t line, bool is_first);
void source_text_read_braces(struct source_text *source, const char *text, const char *end);
void source_text_read_fortran(struct source_text *source, const char *text, const char *end);
/* Whether this is a line of the preprocessor (its first character but blanks is #); adds what it means.
   Returns the end of the line, continued ones too. */
const char *source_text_read_directive(struct source_text *source, const char *hash, const char *end,
                                       uint32_t *line);
#endif
