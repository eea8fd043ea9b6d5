/* A graph that is drawn by Graphviz.  Labels are plain text: whatever they hold is shown as it is.
   Each line of a label ends with \n in the text given here. */
#ifndef SHOW_REPORT_COMMON_DRAWING_H
#define SHOW_REPORT_COMMON_DRAWING_H
#include "base/error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct drawing;

struct drawing *drawing_new(const char *title);
void drawing_free(struct drawing *drawing);
size_t drawing_size(const struct drawing *drawing); /* nodes */

/* A frame around nodes; inside is 0 for the whole drawing or the number of a frame that exists.
   Numbers ascend from one frame to the next. */
void drawing_frame(struct drawing *drawing, int64_t number, int64_t inside, const char *label,
                   const char *fill);
/* A node in a frame (0: none).  Styles are Graphviz's words; NULL leaves them as they are. */
void drawing_node(struct drawing *drawing, const char *name, int64_t frame, const char *label,
                  const char *style, const char *fill);
void drawing_edge(struct drawing *drawing, const char *from, const char *to, const char *label,
                  const char *color, const char *style);
/* Whether Graphviz can write this format here (dot always). */
bool drawing_knows_format(const char *format);
/* format: "dot" writes the graph without a layout; svg, pdf, png … lay it out, which can take long. */
bool drawing_write(struct drawing *drawing, const char *format, FILE *out, struct error *error);
#endif
