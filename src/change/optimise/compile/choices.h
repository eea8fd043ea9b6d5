/* What a search may change about a loop's compilation: files of data/compiler-options/ (gcc, clang,
   gfortran).

   Such a file is data, in the syntax of base/settings.h.  A section is a choice:

       [choice unroll-loops]
       form    = flag
       values  = -fno-unroll-loops, -funroll-loops, -funroll-all-loops
       risks   = rounding             what can go wrong: names of enum choice_risk, in small letters
       says    = unroll loops
       advice  = flag-unroll          a rule of advice that asks for it: tried first where the report has it
       with    = -fopenmp-simd        words of the command line that each value needs besides itself
       when    = -pg                  only where the user compiles with this option: the choice undoes it
       attribute = yes                GCC's attribute optimize gives the same code as the flag (docs say
                                      how that was found): a patch may use it

   A value may hold several words; a comma inside of parentheses or quotes does not end it.  Pragmas are
   written without their mark (`GCC ivdep`, not `#pragma GCC ivdep`), attributes without __attribute__.
   The value of a promise about alignment is a number of bytes; that of restrict is `all`.

   Value 0 of every choice is "as the user compiles now" and stands in no file.  A *variant* is one value for
   each choice; variant 0…0 is the user's own compilation. */
#ifndef CHANGE_OPTIMISE_COMPILE_CHOICES_H
#define CHANGE_OPTIMISE_COMPILE_CHOICES_H
#include "change/optimise/compile/compilation.h"

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
    risk_THREADS = 64   /* a promise about other threads: stores that the source does not make, stack size */
};
enum { choice_RISKS = 7 };
/* The set of names between commas, as --forbid has it. */
bool choice_risks_parse(const char *names, unsigned *risks, struct error *error);

struct choice {
    char *name, *says;
    enum choice_form form;
    char **values; /* [1 … value_count]; each may be several words; [0] is NULL */
    unsigned value_count;
    unsigned risks;
    char **advice; /* names of rules; NULL at the end */
    char *with;    /* words that a value needs besides itself; NULL: none */
    char *when;    /* the option of the user that it undoes; NULL: it is always there */
    bool is_attribute;
    unsigned line; /* in its file */
};

struct choices {
    struct array list; /* of struct choice */
};

bool choices_read(const char *path, struct choices *choices, struct error *error);
/* Values that this compiler refuses go, choices that undo what the user does not do, and choices of which none is left: two or three calls of the
 * compiler. */
bool choices_keep_taken(struct choices *choices, const struct compilation *compilation, struct error *error);
void choices_free(struct choices *choices);
static inline const struct choice *choices_at(const struct choices *choices, size_t index)
{
    return ARRAY_AT(const struct choice, &choices->list, index);
}

struct variant {
    unsigned char *values; /* one for each choice; 0: as it is */
};
void variant_free(struct variant *variant);
unsigned variant_risks(const struct choices *choices, const struct variant *variant);
/* "unroll-loops: -funroll-loops, ivdep: GCC ivdep": for the log, and read again by variant_parse. */
char *variant_text(const struct choices *choices, const struct variant *variant);
bool variant_parse(const struct choices *choices, const char *text, struct variant *variant,
                   struct error *error);
/* The words of the command line, each once, in order of the file: of char *, to be freed each. */
struct array variant_flags(const struct choices *choices, const struct variant *variant);
#endif
