/* Words of a compiler's command line that stand in files: @FILE, as GNU's compilers read them. */
#ifndef CLI_RESPONSE_FILES_H
#define CLI_RESPONSE_FILES_H
#include "base/memory.h"

/* The words with those of response files in place, as an array of char * that ends with NULL, all to be
   freed.  A word whose file cannot be read stays as it is: the compiler says what is wrong with it. */
char **response_files_expand(const struct array *words);
void response_files_free(char **words);
#endif
