/* Commands with names in braces: {source}, {k}, {1/k}, {round(frames/k)}.

   A name is a text, such as the path of a file, or a number. Texts are quoted for the shell as the place
   needs it: bare, between "" or between ''. Numbers may be computed with: * / ^ + - ( ) and round. `{{` and
   `}}` stand for a brace; `${…}` is the shell's own. */
#ifndef PLAN_PREDICT_TEMPLATE_H
#define PLAN_PREDICT_TEMPLATE_H
#include "base/memory.h"

#include <stdbool.h>

struct template_name {
    const char *name, *text; /* text NULL: it is a number */
    double number;
    bool is_used; /* set where a template has it */
};

struct template_fault {
    size_t offset; /* of the template's text */
    char problem[300];
};

/* NULL: the fault says what is wrong.  To be freed. */
char *template_fill(const char *text, struct template_name *names, size_t count,
                    struct template_fault *fault);
/* A text quoted for the shell, as a word of its own; to be freed. */
char *template_quote(const char *text);
#endif
