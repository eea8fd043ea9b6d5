/* Files that an assembler or a preprocessor read because the text asked for them.

   Only these programs know for sure: names are put together by macros, files include files.  So each of them
   is told to write down what it read, as a rule for make (--MD of as, -MD of compilers), and what it made is
   used only where all of these files may be read (base/trust.h). */
#ifndef READ_LISTING_DEPENDENCIES_H
#define READ_LISTING_DEPENDENCIES_H
#include "base/memory_file.h"
#include "base/trust.h"

/* rule: what the program was told to write.  input: the file that it was given.  path: whom errors name. */
bool dependencies_allow(const struct memory_file *rule, const char *input, struct trust *trust,
                        const char *path, struct error *error);
/* Whether a message that begins with the name of a file and a colon may be shown; it may quote that file. */
bool dependencies_may_show(const char *message, const char *input, struct trust *trust);
#endif
