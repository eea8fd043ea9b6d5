/* Paths as texts. */
#ifndef BASE_PATH_H
#define BASE_PATH_H
#include <stdbool.h>

/* The part after the last slash; the whole path if that is empty. */
const char *path_name(const char *path);
/* The part before it: "." without a slash, "/" for a file in the root. To be freed. */
char *path_folder(const char *path);
/* The absolute path, relative to the current directory; links are not resolved. To be freed. */
char *path_absolute(const char *path);
/* An absolute path as a file: address, another one as a relative reference; what is not plain is escaped. To be freed. */
char *path_uri(const char *path);
/* Whether two names lead to one file: the same text, or the same file on disk. */
bool path_is_same_file(const char *left, const char *right);
#endif
