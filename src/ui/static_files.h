/* Styles and scripts that are compiled in: src/ui/static, and those that pages share with report/. Served at
 * /static/NAME. */
#ifndef UI_STATIC_FILES_H
#define UI_STATIC_FILES_H
#include <stddef.h>

struct ui_static_file {
    const char *name, *type, *mark; /* mark: of its content, an ETag */
    const unsigned char *content;
    size_t size;
};
extern const struct ui_static_file ui_static_files[];
extern const unsigned ui_static_file_count;
#endif
