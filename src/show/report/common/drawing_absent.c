/* In the place of drawing.c where there is no Graphviz: drawings stay empty. */
#include "base/built.h"
#include "show/report/common/drawing.h"

struct drawing *drawing_new(const char *title)
{
    (void)title;
    return NULL;
}

void drawing_free(struct drawing *drawing)
{
    (void)drawing;
}

size_t drawing_size(const struct drawing *drawing)
{
    (void)drawing;
    return 0;
}

void drawing_frame(struct drawing *drawing, int64_t number, int64_t inside, const char *label,
                   const char *fill)
{
    (void)drawing;
    (void)number;
    (void)inside;
    (void)label;
    (void)fill;
}

void drawing_node(struct drawing *drawing, const char *name, int64_t frame, const char *label,
                  const char *style, const char *fill)
{
    (void)name;
    (void)style;
    drawing_frame(drawing, frame, 0, label, fill);
}

void drawing_edge(struct drawing *drawing, const char *from, const char *to, const char *label,
                  const char *color, const char *style)
{
    (void)from;
    (void)to;
    (void)style;
    drawing_frame(drawing, 0, 0, label, color);
}

bool drawing_knows_format(const char *format)
{
    (void)format;
    return false;
}

bool drawing_write(struct drawing *drawing, const char *format, FILE *out, struct error *error)
{
    (void)drawing;
    (void)format;
    (void)out;
    return feature_missing(feature_GRAPHS, error);
}
