/* The language of assertions: what a comment `// assay: …` or a rule asks of a loop.

       vectorised >= 256 bits, no spills, cycles <= 2.5 per element on zen4, neoverse-v1

   Assertions are separated by commas; `on` and names of machines end the list and hold for all of it.  The
   words are data (assertions.def); beyond them every metric of loop_metrics can be named, `limit is latency`
   is about the part of the core that limits the loop, and `no advice` about the report's advice.

   Text comes from sources and files of rules: whatever cannot be read is an error with its place, and the
   nearest word. */
#ifndef CODE_CHECK_ASSERTION_H
#define CODE_CHECK_ASSERTION_H
#include "base/error.h"
#include "model/tables.h"

enum comparator {
    comparator_AT_MOST,
    comparator_BELOW,
    comparator_AT_LEAST,
    comparator_ABOVE,
    comparator_EQUAL
};
extern const char *const comparator_signs[];

enum assertion_kind {
    assertion_FIGURE, /* a figure compares with a number */
    assertion_LIMIT,  /* the part of the core that limits the loop */
    assertion_ADVICE, /* no advice, or none by one rule */
};

enum { MOST_SUMMANDS = 4 };

struct assertion {
    enum assertion_kind kind;
    char *text; /* as it was written, with single blanks */
    char *word; /* what it is about, an id for reports: "vectorised", "spills", "limit", "advice" */
    /* FIGURE */
    const struct table_column *columns[MOST_SUMMANDS]; /* up to NULL: added up */
    bool is_of_roles;                                  /* of loop_roles, not of loop_metrics */
    enum comparator comparison;
    double number;    /* as the columns count */
    double scale;     /* number : what was written */
    const char *unit; /* "bits"; "": none */
    /* LIMIT */
    enum core_part part;
    bool is_not; /* the limit must be another */
    /* ADVICE */
    char *rule; /* NULL: any */
};

/* What one comment or one rule of a file says. */
struct assertions {
    struct array list;     /* of struct assertion */
    struct array machines; /* of char *: names after `on`; empty: the usual machine */
};

/* Where a text begins, for errors: column from 1. */
struct assertion_place {
    const char *file;
    uint32_t line, column;
};

/* Reads a text, which need not end with a zero byte.  False with an error `FILE:LINE:COLUMN: …`; then there
   is nothing to free. */
bool assertions_parse(struct assertions *assertions, const char *text, size_t length,
                      const struct assertion_place *place, struct error *error);
void assertions_free(struct assertions *assertions);
/* Whether a figure is as wanted; NaN is not. */
bool assertion_holds(const struct assertion *assertion, double figure);

/* Rows of assertions.def, for the manual. */
struct assertion_word {
    const char *word, *unit, *columns, *says;
    double scale;
    bool is_count, is_plain;
    enum comparator comparison; /* of a PLAIN */
    double number;
};
extern const struct assertion_word assertion_words[];
extern const unsigned assertion_word_count;
#endif
