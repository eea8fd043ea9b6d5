/* What a search may change about a loop's compilation: options/gcc, options/clang, options/gfortran.

   Such a file is data, in the syntax of base/settings.h.  A section is a choice:

       [choice unroll-loops]
       form    = flag
       values  = -fno-unroll-loops, -funroll-loops, -funroll-all-loops
       risks   =
       says    = unroll loops
       advice  = short-body          a rule of advice that asks for it: tried first where the report has it

   Value 0 of every choice is "as the user compiles now" and stands in no file.  A *variant* is one value for
   each choice; variant 0…0 is the user's own compilation. */
#ifndef OPTIMISE_CHOICES_H
#define OPTIMISE_CHOICES_H
#include "optimise/compilation.h"

/* Where a value goes. */
enum choice_form {
    choice_FLAG,      /* words of the command line */
    choice_PRAGMA,    /* a line before the loop */
    choice_ATTRIBUTE, /* of the function */
    choice_RESTRICT,  /* on pointer parameters of the function */
    choice_ALIGNED,   /* a promise about pointer parameters, at the top of the function */
    choice_FORMS
};

/* What can go wrong; a set. The answer words them, and a user forbids them (--forbid rounding). */
enum choice_risk {
    risk_ROUNDING = 1,  /* last digits may change */
    risk_SPECIALS = 2,  /* NaN, infinities, signed zeros, traps, errno */
    risk_ALIASING = 4,  /* a promise that memory does not overlap */
    risk_ALIGNMENT = 8, /* a promise about addresses */
    risk_OVERFLOW = 16, /* a promise about integers */
    risk_TARGET = 32,   /* runs on this kind of processor only */
    risk_THREADS = 64
};

struct choice {
    char *name, *says;
    enum choice_form form;
    char **values; /* [1 … value_count]; each may be several words */
    unsigned value_count;
    unsigned risks;
    char **advice; /* names of rules; NULL at the end */
    unsigned line; /* in its file */
};

struct choices {
    struct array list; /* of struct choice */
};

/* Reads a file of choices; values that this compiler refuses (asked once, kept in the ledger with its
 * version) go. */
bool choices_read(const char *path, struct choices *choices, struct error *error);
void choices_free(struct choices *choices);

struct variant {
    unsigned char *values; /* one for each choice; 0: as it is */
};
unsigned variant_risks(const struct choices *choices, const struct variant *variant);
/* "-O3 -funroll-loops, #pragma GCC ivdep": for the log, and read again by variant_parse. */
char *variant_text(const struct choices *choices, const struct variant *variant);
bool variant_parse(const struct choices *choices, const char *text, struct variant *variant,
                   struct error *error);
#endif
