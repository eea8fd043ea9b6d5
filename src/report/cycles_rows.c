/* Cycles for programs: a row for each path or block, with a column for every part of the core; in json, where
   the instructions are there, an array of them too.  Columns are named after the parts, so that a new part is
   a new column and no other moves. */
#include "report/cycles.h"

#include "model/tables.h"
#include "report/demangle.h"
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value on its way out. */
struct row_writer {
    FILE *out;
    bool is_json, is_head, is_first;
};

static void begin_value(struct row_writer *writer, const char *name)
{
    if (!writer->is_first)
        putc(',', writer->out);
    writer->is_first = false;
    if (writer->is_head)
        fputs(name, writer->out);
    else if (writer->is_json)
        fprintf(writer->out, "\"%s\":", name);
}

static void write_text(struct row_writer *writer, const char *name, const char *text)
{
    begin_value(writer, name);
    if (writer->is_head)
        return;
    if (writer->is_json && text) {
        report_json_text(writer->out, text, strlen(text));
    } else if (writer->is_json) {
        fputs("null", writer->out);
    } else if (text && strpbrk(text, ",\"\r\n")) {
        putc('"', writer->out);
        for (; *text; text++) {
            putc(*text, writer->out);
            if (*text == '"')
                putc('"', writer->out);
        }
        putc('"', writer->out);
    } else if (text) {
        fputs(text, writer->out);
    }
}

/* With the digits that it needs and no more. */
static void write_number(struct row_writer *writer, const char *name, double number)
{
    begin_value(writer, name);
    if (writer->is_head)
        return;
    if (!isfinite(number)) {
        fputs(writer->is_json ? "null" : "", writer->out);
        return;
    }
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, writer->out);
}

/* 0 is nothing. */
static void write_id(struct row_writer *writer, const char *name, uint64_t id)
{
    write_number(writer, name, id ? (double)id : NAN);
}

static void column_name(const char *word, char name[64])
{
    size_t length = 0;
    for (; *word && length < 62; word++) {
        if (!strncmp(word, "µ", strlen("µ"))) {
            name[length++] = 'u';
            word += strlen("µ") - 1;
        } else {
            name[length++] = *word == ' ' ? '_' : *word;
        }
    }
    name[length] = 0;
}

static void write_place(struct row_writer *writer, const struct cycles_view *view,
                        const struct report_style *style)
{
    const struct model *model = view->model;
    const struct loop *loop = model_loop(model, view->path->loop);
    const struct function *function = model_function(model, loop->function);
    const char *name = view->path->loop ? model_text(model, function->name) : NULL;
    char *plain = style->demangle && name ? demangle_name(name) : NULL;
    write_id(writer, "loop", view->path->loop);
    write_id(writer, "path", view->path->path);
    write_text(writer, "function", name);
    if (style->demangle)
        write_text(writer, "function_demangled", plain ? plain : name);
    write_text(writer, "file",
               view->path->loop && loop->file ? model_text(model, model_file(model, loop->file)->path)
                                              : NULL);
    write_id(writer, "first_line", view->path->loop ? loop->first_line : 0);
    write_id(writer, "last_line", view->path->loop ? loop->last_line : 0);
    free(plain);
}

static const char *source_of(const struct cycles_view *view)
{
    if (view->mode != cost_LOOP || !isfinite(view->path->cycles) || !view->machine->core.cache_width)
        return NULL;
    return view->path->is_loop_buffer ? "loop buffer" : view->path->is_cached ? "µop cache" : "decoders";
}

static void write_figures(struct row_writer *writer, const struct cycles_view *view)
{
    const struct loop_path *path = view->path;
    bool is_known = isfinite(path->cycles);
    char *remark = cycles_remark(view);
    write_text(writer, "machine", view->machine->name);
    write_text(writer, "mode", view->mode == cost_LOOP ? "loop" : "unrolled");
    write_number(writer, "cycles", path->cycles);
    write_text(writer, "limit", is_known ? enumeration_word("core_part", path->limit) : NULL);
    write_text(writer, "next", is_known && path->next ? enumeration_word("core_part", path->next) : NULL);
    write_number(writer, "next_cycles", is_known && path->next ? path->bounds[path->next] : NAN);
    write_text(writer, "source", source_of(view));
    write_number(writer, "instruction_count", path->instruction_count);
    write_number(writer, "known_count", path->known_count);
    write_number(writer, "call_count", path->call_count);
    write_text(writer, "remark", remark);
    free(remark);
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        char name[64];
        column_name(enumeration_word("core_part", part), name);
        write_number(writer, name, path->bounds[part] > 0 ? path->bounds[part] : NAN);
    }
}

static void write_ports(struct row_writer *writer, const struct cycles_view *view, size_t item)
{
    unsigned ports = view->machine->port_count;
    struct row_writer inner = {.out = writer->out, .is_json = true, .is_first = true};
    begin_value(writer, "ports");
    putc('{', writer->out);
    for (unsigned port = 0; port < ports; port++)
        if (view->pressure[item * ports + port] > 0)
            write_number(&inner, view->machine->ports[port], view->pressure[item * ports + port]);
    putc('}', writer->out);
}

static void write_flag(struct row_writer *writer, const char *name, bool flag)
{
    begin_value(writer, name);
    fputs(flag ? "true" : "false", writer->out);
}

static void write_instruction(const struct cycles_view *view, size_t item, FILE *out)
{
    struct row_writer writer = {.out = out, .is_json = true, .is_first = true};
    const struct cost_item *row = ARRAY_AT(struct cost_item, &view->work->items, item);
    const struct cost_prediction *prediction = &view->work->prediction;
    uint32_t encoding = *ARRAY_AT(uint32_t, &view->work->encodings, item);
    uint32_t form = model_encoding(view->model, encoding)->form;
    double least, most;
    bool has_latency = cycles_latency(row->cost, &least, &most);
    char *text = cycles_instruction(view, item);
    putc('{', out);
    write_number(&writer, "address", (double)row->address);
    write_text(&writer, "text", text);
    write_text(&writer, "form", form ? model_text(view->model, form) : NULL);
    write_flag(&writer, "is_known", row->cost->form);
    write_number(&writer, "uops", cycles_slots(row));
    write_number(&writer, "least_latency", has_latency ? least : NAN);
    write_number(&writer, "latency", has_latency ? most : NAN);
    write_flag(&writer, "is_fused", row->is_fused || row->is_absorbed);
    write_flag(&writer, "is_eliminated", row->is_eliminated);
    write_ports(&writer, view, item);
    struct row_writer inner = {.out = out, .is_json = true, .is_first = true};
    begin_value(&writer, "limits");
    putc('[', out);
    for (unsigned part = 1; part < core_part_COUNT; part++)
        if (prediction->bounds[part].marks && prediction->bounds[part].marks[item] &&
            prediction->bounds[part].cycles > 0) {
            const char *word = enumeration_word("core_part", part);
            fputs(inner.is_first ? "" : ",", out);
            inner.is_first = false;
            report_json_text(out, word, strlen(word));
        }
    fputs("]}", out);
    free(text);
}

static void write_row(const struct cycles_view *view, const struct report_style *style, bool is_head,
                      FILE *out)
{
    struct row_writer writer = {
        .out = out, .is_json = style->format == report_JSON, .is_head = is_head, .is_first = true};
    write_place(&writer, view, style);
    write_figures(&writer, view);
    if (!writer.is_json || !view->pressure || !isfinite(view->path->cycles))
        return;
    begin_value(&writer, "instructions");
    putc('[', out);
    for (size_t i = 0; i < view->work->items.count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        write_instruction(view, i, out);
    }
    putc(']', out);
}

void report_cycles_row(const struct cycles_view *view, const struct report_style *style, bool is_first,
                       FILE *out)
{
    if (style->format == report_JSON) {
        fputs(is_first ? "{" : ",\n {", out);
        write_row(view, style, false, out);
        putc('}', out);
        return;
    }
    if (is_first) {
        write_row(view, style, true, out);
        fputs("\r\n", out);
    }
    write_row(view, style, false, out);
    fputs("\r\n", out);
}
