#include "show/report/block_figures.h"

#include "model/tables.h"
#include "show/report/cycles.h"
#include "show/report/port_words.h"
#include "show/report/common/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *note_of(const struct cost_item *item)
{
    const struct machine_cost *cost = item->cost;
    return cost->is_missing      ? "not on this machine"
           : !cost->form         ? "assumed"
           : item->is_absorbed   ? "fused with the previous"
           : item->is_fused      ? "fused with the next"
           : item->is_eliminated ? "eliminated at rename"
           : !cost->port_count   ? "no port"
                                 : NULL;
}

static bool is_marked(const struct block_costs *costs, enum core_part part, size_t item)
{
    const uint8_t *marks = part == core_part_NONE ? NULL : costs->prediction.bounds[part].marks;
    return marks && marks[item];
}

static uint32_t line_of(const struct text_block *block, size_t instruction)
{
    const struct array *rows = &block->code->instructions;
    return instruction < rows->count ? ARRAY_AT(struct text_instruction, rows, instruction)->line : 0;
}

void block_figures_make(struct block_figures *figures, struct text_block *block,
                        const struct machine *machine)
{
    struct block_costs *costs = &block->costs;
    unsigned ports = machine->port_count;
    *figures = (struct block_figures){.machine = machine,
                                      .mode = block->mode,
                                      .path = block->path,
                                      .rows = ARRAY_OF(struct block_row),
                                      .bytes = costs->block.size};
    struct cycles_view view = {
        .model = &block->snippets.model, .machine = machine, .path = &block->path, .mode = block->mode};
    figures->refusal = cycles_refusal(view.model, machine, &block->path);
    figures->remark = figures->refusal ? NULL : cycles_remark(&view);
    if (!figures->refusal) {
        figures->pressure = memory_get(costs->items.count * (ports + 1) * sizeof *figures->pressure);
        cost_port_pressure(&costs->block, &costs->scratch, figures->pressure);
    }
    for (size_t i = 0; i < block->first; i++)
        *(struct block_row *)array_push(&figures->rows) = (struct block_row){.line = line_of(block, i),
                                                                             .is_entry = true,
                                                                             .least = NAN,
                                                                             .most = NAN,
                                                                             .note = "before the loop"};
    for (size_t i = 0; i < costs->items.count; i++) {
        const struct cost_item *item = ARRAY_AT(struct cost_item, &costs->items, i);
        struct block_row row = {.line = line_of(block, item->id),
                                .uops = cycles_slots(item),
                                .is_limit = is_marked(costs, block->path.limit, i),
                                .is_chain = is_marked(costs, core_part_LATENCY, i),
                                .note = note_of(item)};
        if (!cycles_latency(item->cost, &row.least, &row.most))
            row.least = row.most = NAN;
        if (figures->pressure)
            row.ports = &figures->pressure[i * ports];
        for (unsigned port = 0; row.ports && port < ports; port++)
            figures->port_sums[port] += row.ports[port];
        figures->uops += row.uops;
        *(struct block_row *)array_push(&figures->rows) = row;
    }
}

void block_figures_free(struct block_figures *figures)
{
    free(figures->refusal);
    free(figures->remark);
    free(figures->pressure);
    array_free(&figures->rows);
}

unsigned block_figures_parts(const struct block_figures *figures, enum core_part parts[core_part_COUNT])
{
    const double *bounds = figures->path.bounds;
    unsigned count = 0;
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        if (!(bounds[part] > 0))
            continue;
        unsigned at = count++;
        for (; at > 0 && (bounds[parts[at - 1]] < bounds[part] ||
                          (bounds[parts[at - 1]] <= bounds[part] && part == figures->path.limit));
             at--)
            parts[at] = parts[at - 1];
        parts[at] = (enum core_part)part;
    }
    return count;
}

/* Where the µops come from; NULL: the machine file does not say. */
static const char *block_figures_source(const struct block_figures *figures)
{
    if (figures->mode != cost_LOOP || !figures->machine->core.cache_width || figures->refusal)
        return NULL;
    return figures->path.is_loop_buffer ? "loop buffer (LSD)"
           : figures->path.is_cached    ? "µop cache (DSB)"
                                        : "legacy decoders (MITE)";
}

static void print_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\":", name);
    if (text)
        report_json_text(out, text, strlen(text));
    else
        fputs("null", out);
    putc(',', out);
}

static void print_number(FILE *out, const char *name, double number)
{
    if (isfinite(number))
        fprintf(out, "\"%s\":%.10g,", name, number);
    else
        fprintf(out, "\"%s\":null,", name);
}

static void print_row(FILE *out, const struct block_row *row, unsigned ports)
{
    fprintf(out, "{\"line\":%u,\"uops\":%u,", row->line, row->uops);
    print_number(out, "least", row->least);
    print_number(out, "most", row->most);
    print_text(out, "note", row->note);
    fprintf(out, "\"entry\":%s,\"limit\":%s,\"chain\":%s,\"ports\":[", row->is_entry ? "true" : "false",
            row->is_limit ? "true" : "false", row->is_chain ? "true" : "false");
    for (unsigned port = 0; row->ports && port < ports; port++)
        fprintf(out, "%s%.4g", port ? "," : "", row->ports[port]);
    fputs("]}", out);
}

static void print_parts(FILE *out, const struct block_figures *figures)
{
    enum core_part parts[core_part_COUNT];
    unsigned count = block_figures_parts(figures, parts);
    fputs("\"parts\":[", out);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ",{" : "{", out);
        print_text(out, "part", core_part_word(parts[i]));
        print_text(out, "words", core_part_doc(parts[i]));
        fprintf(out, "\"cycles\":%.10g}", figures->path.bounds[parts[i]]);
    }
    fputs("],\"ports\":[", out);
    for (unsigned port = 0; port < figures->machine->port_count; port++) {
        autofree char *name = port_name(figures->machine, port), *words = port_words(figures->machine, port);
        fputs(port ? ",{" : "{", out);
        print_text(out, "name", name);
        print_text(out, "words", words);
        fprintf(out, "\"uops\":%.6g}", figures->port_sums[port]);
    }
    fputs("],", out);
}

void block_figures_json(const struct block_figures *figures, FILE *out)
{
    const struct loop_path *path = &figures->path;
    putc('{', out);
    print_text(out, "machine", figures->machine->name);
    print_text(out, "title", figures->machine->title);
    print_text(out, "mode", figures->mode == cost_LOOP ? "loop" : "unrolled");
    print_number(out, "cycles", figures->refusal ? NAN : path->cycles);
    print_text(out, "limit", path->limit ? core_part_word(path->limit) : NULL);
    print_text(out, "limitWords", path->limit ? core_part_doc(path->limit) : NULL);
    print_text(out, "next", path->next ? core_part_word(path->next) : NULL);
    print_number(out, "nextCycles", path->next_cycles);
    print_number(out, "unaligned", path->unaligned_cycles);
    print_text(out, "refusal", figures->refusal);
    print_text(out, "remark", figures->remark);
    print_text(out, "source", block_figures_source(figures));
    fprintf(out, "\"instructions\":%u,\"uops\":%u,\"bytes\":%u,", path->instruction_count, figures->uops,
            figures->bytes);
    print_parts(out, figures);
    fputs("\"rows\":[", out);
    for (size_t i = 0; i < figures->rows.count; i++) {
        fputs(i ? "," : "", out);
        print_row(out, ARRAY_AT(struct block_row, &figures->rows, i), figures->machine->port_count);
    }
    fputs("]}", out);
}
