/* Graphviz reports through a function without context, so the last message is kept in this file.

   Its context stays until the process ends: the part that measures text remembers the name of the last font,
   which belongs to the context, and would look at it again when the next graph is laid out in another one. */
#include "show/report/common/drawing.h"

#include "base/memory.h"
#include "show/report/common/text.h"

#include <graphviz/gvc.h>
#include <stdlib.h>
#include <string.h>

struct drawing {
    Agraph_t *graph;
    struct array frames; /* of struct frame */
};

struct frame {
    int64_t number;
    Agraph_t *graph;
};

static char last_message[300];

static GVC_t *drawing_context(void)
{
    static GVC_t *context;
    if (!context)
        context = gvContext();
    return context;
}

static int keep_message(char *message)
{
    size_t used = strlen(last_message);
    snprintf(last_message + used, sizeof last_message - used, "%s", message);
    return 0;
}

static void set(void *object, const char *attribute, const char *value)
{
    if (value)
        agsafeset(object, (char *)attribute, (char *)value, "");
}

/* Text for a label: escapes of Graphviz are taken literally, line ends align to the left. */
static char *label_text(const char *text)
{
    size_t length = strlen(text);
    char *label = memory_get(length * 8 + 1), *out = label;
    while (*text) {
        size_t line = strcspn(text, "\n");
        autofree char *safe = text_safe(text, line);
        for (const char *from = safe; *from; from++) {
            if (*from == '\\')
                *out++ = '\\';
            *out++ = *from;
        }
        text += line;
        if (*text == '\n') {
            text++;
            *out++ = '\\';
            *out++ = 'l';
        }
    }
    return label;
}

static void set_label(void *object, const char *text)
{
    if (!text)
        return;
    autofree char *label = label_text(text);
    set(object, "label", label);
}

struct drawing *drawing_new(const char *title)
{
    struct drawing *drawing = memory_get(sizeof *drawing);
    agseterrf(keep_message);
    last_message[0] = 0;
    drawing->frames = ARRAY_OF(struct frame);
    drawing->graph = agopen("assay", Agdirected, NULL);
    agattr(drawing->graph, AGRAPH, "fontname", "Helvetica");
    agattr(drawing->graph, AGRAPH, "fontsize", "11");
    agattr(drawing->graph, AGRAPH, "labeljust", "l");
    agattr(drawing->graph, AGNODE, "shape", "box");
    agattr(drawing->graph, AGNODE, "style", "filled");
    agattr(drawing->graph, AGNODE, "fillcolor", "white");
    agattr(drawing->graph, AGNODE, "fontname", "Courier");
    agattr(drawing->graph, AGNODE, "fontsize", "10");
    agattr(drawing->graph, AGEDGE, "fontname", "Helvetica");
    agattr(drawing->graph, AGEDGE, "fontsize", "9");
    set_label(drawing->graph, title);
    set(drawing->graph, "labelloc", "t");
    return drawing;
}

void drawing_free(struct drawing *drawing)
{
    if (!drawing)
        return;
    agclose(drawing->graph);
    array_free(&drawing->frames);
    free(drawing);
}

size_t drawing_size(const struct drawing *drawing)
{
    return (size_t)agnnodes(drawing->graph);
}

/* Frames are numbered in ascending order. */
static Agraph_t *existing_frame(const struct drawing *drawing, int64_t number)
{
    struct bisection search = {0, drawing->frames.count};
    while (bisect(&search)) {
        const struct frame *frame = ARRAY_AT(struct frame, &drawing->frames, search.middle);
        if (frame->number == number)
            return frame->graph;
        bisect_past(&search, frame->number < number);
    }
    return NULL;
}

void drawing_frame(struct drawing *drawing, int64_t number, int64_t inside, const char *label,
                   const char *fill)
{
    Agraph_t *around = existing_frame(drawing, inside);
    autofree char *name = memory_format("cluster_%lld", (long long)number);
    Agraph_t *frame = agsubg(around ? around : drawing->graph, name, true);
    *(struct frame *)array_add(&drawing->frames) = (struct frame){number, frame};
    set_label(frame, label);
    set(frame, "style", "filled,rounded");
    set(frame, "color", "gray60");
    set(frame, "fillcolor", fill);
}

void drawing_node(struct drawing *drawing, const char *name, int64_t frame, const char *label,
                  const char *style, const char *fill)
{
    Agraph_t *graph = existing_frame(drawing, frame);
    Agnode_t *node = agnode(graph ? graph : drawing->graph, (char *)name, true);
    set_label(node, label);
    set(node, "style", style);
    set(node, "fillcolor", fill);
}

void drawing_edge(struct drawing *drawing, const char *from, const char *to, const char *label,
                  const char *color, const char *style)
{
    Agnode_t *source = agnode(drawing->graph, (char *)from, true);
    Agnode_t *target = agnode(drawing->graph, (char *)to, true);
    Agedge_t *edge = agedge(drawing->graph, source, target, NULL, true);
    set_label(edge, label);
    set(edge, "color", color);
    set(edge, "style", style);
}

bool drawing_knows_format(const char *format)
{
    if (!strcmp(format, "dot"))
        return true;
    int count = 0;
    char **formats = gvPluginList(drawing_context(), "device", &count, NULL);
    bool known = false;
    for (int i = 0; i < count; i++) {
        known |= !strcmp(formats[i], format);
        free(formats[i]);
    }
    free(formats);
    return known;
}

bool drawing_write(struct drawing *drawing, const char *format, FILE *out, struct error *error)
{
    last_message[0] = 0;
    if (!strcmp(format, "dot")) {
        bool written = agwrite(drawing->graph, out) == 0 && !fflush(out) && !ferror(out);
        return written || error_set_errno(error, NULL, "cannot write the graph");
    }
    GVC_t *context = drawing_context();
    bool laid_out = gvLayout(context, drawing->graph, "dot") == 0;
    bool written =
        laid_out && gvRender(context, drawing->graph, format, out) == 0 && !fflush(out) && !ferror(out);
    if (laid_out)
        gvFreeLayout(context, drawing->graph);
    if (written)
        return true;
    last_message[strcspn(last_message, "\n")] = 0;
    return error_set(error, NULL, "Graphviz cannot draw this as %s: %s", format,
                     last_message[0] ? last_message : "no reason given");
}
