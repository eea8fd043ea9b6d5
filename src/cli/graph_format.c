/* The suffix of --output says how Graphviz writes a graph. */
#include "cli/graph_format.h"

#include "show/report/common/drawing.h"

#include <string.h>

bool graph_format(const struct invocation *invocation, const char **format, struct error *error)
{
    const char *path = options_value(invocation, OPTION_OUTPUT);
    *format = "dot";
    if (!path || !strcmp(path, "-"))
        return true;
    const char *dot = strrchr(path, '.');
    if (!dot || strchr(dot, '/') || !dot[1])
        return error_set(error, path, "needs a suffix that sets the format: .svg, .pdf, .png or .dot");
    *format = !strcmp(dot + 1, "gv") ? "dot" : dot + 1;
    return drawing_knows_format(*format) || error_set(error, path, "Graphviz cannot write .%s here", dot + 1);
}
