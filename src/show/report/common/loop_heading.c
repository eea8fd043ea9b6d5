#include "show/report/common/loop_heading.h"

#include "model/demangle.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"

#include <stdlib.h>
#include <string.h>

static void print_safely(const char *text, FILE *out)
{
    autofree char *safe = text_safe(text, strlen(text));
    fputs(safe, out);
}

static void print_name(const char *name, const struct report_style *style, FILE *out)
{
    autofree char *safe = text_safe(name, strlen(name)),
                  *shorter = name_shorten(safe, NAME_COLUMNS, style->unicode);
    fputs(shorter, out);
}

void report_loop_heading(const struct model *model, uint32_t id, const struct report_style *style, FILE *out)
{
    const struct loop *loop = model_loop(model, id);
    const char *name = model_text(model, model_function(model, loop->function)->name);
    autofree char *plain = style->demangle && name ? demangle_name(name) : NULL;
    fprintf(out, "%sloop %u%s in ", report_ink(style, ink_LOOP), id, report_ink(style, ink_PLAIN));
    print_name(plain ? plain : name ? name : "?", style, out);
    const char *path = loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL;
    if (!path)
        return;
    fputs(", ", out);
    print_safely(path, out);
    if (loop->first_line)
        fprintf(out, ":%u", loop->first_line);
    if (loop->last_line > loop->first_line)
        fprintf(out, "-%u", loop->last_line);
}
