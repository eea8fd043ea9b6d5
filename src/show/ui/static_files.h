/* Styles and scripts that are compiled in: src/show/ui/static, and those that pages share with show/report/.
 * Served at /static/NAME. */
#ifndef SHOW_UI_STATIC_FILES_H
#define SHOW_UI_STATIC_FILES_H
#include <stddef.h>

struct ui_static_file {
    const char *name, *type, *mark; /* mark: of its content, an ETag */
    const unsigned char *content;
    size_t size;
};
extern const struct ui_static_file ui_static_files[];
extern const unsigned ui_static_file_count;
#endif
