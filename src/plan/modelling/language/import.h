/* CHIP³S scripts of PACE (the thesis, appendix B) translated into this language: applications, subtasks and
   parallel templates (.la), hardware (.hmcl).  What the appendix shows is understood; anything else is told
   with its line, and nothing is left out in silence. */
#ifndef PLAN_MODELLING_LANGUAGE_IMPORT_H
#define PLAN_MODELLING_LANGUAGE_IMPORT_H
#include "base/error.h"
#include "base/memory.h"
#include "base/trust.h"

#include <stdbool.h>
#include <stdio.h>

/* Files that scripts include are looked for beside them, if `trust` lets these be read.  Notes (of char *, to
   be freed) say what is missing, such as figures of the hardware. */
bool language_import(const char *const *paths, size_t count, struct trust *trust, FILE *out,
                     struct array *notes, struct error *error);
/* One text, for tests: no includes. */
bool language_import_text(const char *path, const char *text, size_t size, FILE *out, struct array *notes,
                          struct error *error);
#endif
