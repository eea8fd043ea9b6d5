/* Checks the files that an assembler or a preprocessor read because the text named them.

   Only these programs know for sure: macros compose names, files include files.  So each of them writes the
   list of files that it read as a rule for make (--MD of as, -MD of compilers), and its output is used only
   if all of these files may be read (base/trust.h). */
#ifndef CODE_READ_LISTING_DEPENDENCIES_H
#define CODE_READ_LISTING_DEPENDENCIES_H
#include "base/memory_file.h"
#include "base/trust.h"

/* rule: the rule for make. input: the file that the program was given. path: the file that errors name. */
bool dependencies_allow(const struct memory_file *rule, const char *input, struct trust *trust,
                        const char *path, struct error *error);
/* Whether a message that begins with the name of a file and a colon may be shown; it may quote that file. */
bool dependencies_may_show(const char *message, const char *input, struct trust *trust);
#endif
