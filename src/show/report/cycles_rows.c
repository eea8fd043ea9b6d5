/* Cycles for programs: a row for each path or block, with a column for every part of the core; in json also
 * an array of instructions, where they are known.  Columns are named after the parts, so that a new part is a
 * new column and no other changes. */
#include "show/report/cycles.h"

#include "model/demangle.h"
#include "model/tables.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_place(struct row_writer *writer, const struct cycles_view *view,
                        const struct report_style *style)
{
    const struct model *model = view->model;
    const struct loop *loop = model_loop(model, view->path->loop);
    const struct function *function = model_function(model, loop->function);
    const char *name = view->path->loop ? model_text(model, function->name) : NULL;
    autofree char *plain = style->demangle && name ? demangle_name(name) : NULL;
    row_id(writer, "loop", view->path->loop);
    row_id(writer, "path", view->path->path);
    row_text(writer, "function", name);
    if (style->demangle)
        row_text(writer, "function_demangled", plain ? plain : name);
    row_text(writer, "file",
             view->path->loop && loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL);
    row_id(writer, "first_line", view->path->loop ? loop->first_line : 0);
    row_id(writer, "last_line", view->path->loop ? loop->last_line : 0);
}

static const char *source_of(const struct cycles_view *view)
{
    if (view->mode != cost_LOOP || !isfinite(view->path->cycles) || !view->machine->core.cache_width)
        return NULL;
    return view->path->is_loop_buffer ? "loop buffer" : view->path->is_cached ? "µop cache" : "decoders";
}

static void write_data(struct row_writer *writer, const struct cycles_view *view)
{
    const struct loop_path *path = view->path;
    row_text(writer, "data", data_level_word(view->data));
    row_number(writer, "data_cycles", cycles_with_data(view));
    row_text(writer, "data_limit", cycles_limit_word(view));
    for (unsigned level = data_level_L2; level < data_level_COUNT; level++) {
        struct cycles_view there = *view;
        char name[64];
        snprintf(name, sizeof name, "cycles_%s", data_level_word((enum data_level)level));
        there.data = (enum data_level)level;
        row_number(writer, name, cycles_with_data(&there));
    }
    row_text(writer, "data_source", cycles_level_source(view->machine, view->data));
    row_number(writer, "lines_loaded", path->lines.loaded);
    row_number(writer, "lines_updated", path->lines.updated);
    row_number(writer, "lines_stored", path->lines.stored);
    row_number(writer, "lines_streamed", path->lines.streamed);
    row_number(writer, "lines_unknown", path->unknown_lines);
    row_number(writer, "stride", (double)path->stride);
}

static void write_figures(struct row_writer *writer, const struct cycles_view *view)
{
    const struct loop_path *path = view->path;
    bool is_known = isfinite(path->cycles);
    autofree char *remark = cycles_remark(view);
    row_text(writer, "machine", view->machine->name);
    row_text(writer, "mode", view->mode == cost_LOOP ? "loop" : "unrolled");
    row_number(writer, "cycles", path->cycles);
    row_text(writer, "limit", is_known ? core_part_word(path->limit) : NULL);
    row_text(writer, "next", is_known && path->next ? core_part_word(path->next) : NULL);
    row_number(writer, "next_cycles", is_known ? path->next_cycles : NAN);
    row_number(writer, "unaligned_cycles", is_known ? path->unaligned_cycles : NAN);
    row_number(writer, "repeated_cycles", is_known ? path->repeated_cycles : NAN);
    row_number(writer, "scattered_cycles", is_known ? path->scattered_cycles : NAN);
    row_number(writer, "easy_cycles", is_known ? path->easy_cycles : NAN);
    row_number(writer, "hard_cycles", is_known ? path->hard_cycles : NAN);
    row_text(writer, "source", source_of(view));
    row_number(writer, "instruction_count", path->instruction_count);
    row_number(writer, "known_count", path->known_count);
    row_number(writer, "call_count", path->call_count);
    write_data(writer, view);
    row_text(writer, "remark", remark);
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        char name[64];
        row_name(core_part_word(part), name);
        row_number(writer, name, path->bounds[part] > 0 ? path->bounds[part] : NAN);
    }
}

static void write_ports(struct row_writer *writer, const struct cycles_view *view, size_t item)
{
    unsigned ports = view->machine->port_count;
    struct row_writer inner = row_begin_object_named(writer, "ports");
    for (unsigned port = 0; port < ports; port++)
        if (view->pressure[item * ports + port] > 0)
            row_number(&inner, view->machine->ports[port], view->pressure[item * ports + port]);
    row_end_object(&inner);
}

static void write_instruction(const struct cycles_view *view, size_t item, FILE *out)
{
    const struct cost_item *row = ARRAY_AT(struct cost_item, &view->work->items, item);
    const struct cost_prediction *prediction = &view->work->prediction;
    uint32_t encoding = *ARRAY_AT(uint32_t, &view->work->encodings, item);
    uint32_t form = model_encoding(view->model, encoding)->form;
    double least, most;
    bool has_latency = cycles_latency(row->cost, &least, &most);
    autofree char *text = cycles_instruction(view, item);
    struct row_writer writer = row_begin_object(out);
    row_number(&writer, "address", (double)row->address);
    row_text(&writer, "text", text);
    row_text(&writer, "form", form ? model_text(view->model, form) : NULL);
    row_flag(&writer, "is_known", row->cost->form);
    row_number(&writer, "uops", cycles_slots(row));
    row_number(&writer, "least_latency", has_latency ? least : NAN);
    row_number(&writer, "latency", has_latency ? most : NAN);
    row_flag(&writer, "is_fused", row->is_fused || row->is_absorbed);
    row_flag(&writer, "is_eliminated", row->is_eliminated);
    write_ports(&writer, view, item);
    struct row_list limits = row_begin_list(&writer, "limits", "");
    for (unsigned part = 1; part < core_part_COUNT; part++)
        if (prediction->bounds[part].marks && prediction->bounds[part].marks[item] &&
            prediction->bounds[part].cycles > 0) {
            const char *word = core_part_word(part);
            row_separate(&limits);
            report_json_text(out, word, strlen(word));
        }
    row_end_list(&limits);
    row_end_object(&writer);
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
    row_begin(&writer, "instructions");
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
