/* Annotations and JUnit XML. */
#include "show/report/common/services.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "show/report/common/html.h"

#include <stdlib.h>
#include <string.h>

char *service_path(const char *root, const char *path)
{
    char *real = realpath(path, NULL);
    autofree char *whole = real ? real : path_absolute(path);
    size_t length = strlen(root);
    bool is_below = length > 1 ? !strncmp(whole, root, length) && whole[length] == '/' : *whole == '/';
    return memory_format("%s", is_below ? whole + (length > 1 ? length + 1 : 1) : whole);
}

/* A property or a message of a workflow command: percent signs and ends of lines are escaped, in properties
   also what separates them. */
static void put_command_text(const char *text, bool is_property, FILE *out)
{
    autofree char *safe = text_safe(text, strlen(text));
    for (const char *at = safe; *at; at++) {
        if (*at == '%' || (is_property && (*at == ':' || *at == ',')))
            fprintf(out, "%%%02X", (unsigned char)*at);
        else
            fputc(*at, out);
    }
}

void service_annotate(FILE *out, const char *severity, const struct service_place *place, const char *title,
                      const char *text)
{
    fprintf(out, "::%s ", severity);
    if (place->path) {
        fputs("file=", out);
        put_command_text(place->path, true, out);
        fputs(",", out);
    }
    if (place->path && place->line)
        fprintf(out, "line=%u,", place->line);
    if (place->path && place->line && place->last_line > place->line)
        fprintf(out, "endLine=%u,", place->last_line);
    if (place->path && place->line && place->column)
        fprintf(out, "col=%u,", place->column);
    fputs("title=", out);
    put_command_text(title, true, out);
    fputs("::", out);
    put_command_text(text, false, out);
    fputs("\n", out);
}

static void put_attribute(const char *name, const char *text, FILE *out)
{
    html_format(out, " %s=\"%s\"", name, text);
}

void junit_begin(FILE *out, const char *tool, const char *suite, const struct junit_counts *counts)
{
    autofree char *words =
        memory_format(" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\"",
                      counts->tests, counts->failures, counts->errors, counts->skipped);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"%s\"%s>\n  <testsuite", tool,
            words);
    put_attribute("name", suite, out);
    fprintf(out, "%s>\n", words);
}

void junit_case(FILE *out, const struct junit_case *it)
{
    fputs("    <testcase", out);
    put_attribute("name", it->name, out);
    put_attribute("classname", it->class, out);
    if (it->place.path)
        put_attribute("file", it->place.path, out);
    if (it->place.path && it->place.line)
        fprintf(out, " line=\"%u\"", it->place.line);
    fputs(" time=\"0\"", out);
    if (!it->element) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", it->element);
    put_attribute("message", it->message, out);
    if (it->type)
        put_attribute("type", it->type, out);
    if (!it->text) {
        fputs("/>", out);
    } else {
        fputs(">", out);
        if (it->place.path)
            html_format(out, "%s:%u: ", it->place.path, it->place.line);
        html_format(out, "%s", it->text);
        fprintf(out, "</%s>", it->element);
    }
    fputs("\n    </testcase>\n", out);
}

void junit_end(FILE *out)
{
    fputs("  </testsuite>\n</testsuites>\n", out);
}
