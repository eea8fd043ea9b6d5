/* The cycles first, then the cycles without the limiting part, then the ports of each instruction.
 * Instructions behind the limit are marked, so that the eye finds what to change. */
#include "show/report/cycles.h"

#include "model/tables.h"
#include "show/report/common/loop_heading.h"
#include "show/report/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 5 };

unsigned cycles_slots(const struct cost_item *item)
{
    return item->is_absorbed ? 0 : item->cost->fused + item->synchronises;
}

bool cycles_latency(const struct machine_cost *cost, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        const struct cost_flow *flow = &cost->flows[i];
        if (flow->from == RESOURCE_MEMORY || flow->to == RESOURCE_MEMORY || !isfinite(flow->latency))
            continue;
        *least = fmin(*least, flow->latency);
        *most = fmax(*most, flow->latency);
    }
    if (cost->chained > 0 && *most >= *least)
        *least = fmin(*least, cost->chained);
    return *most >= *least;
}

char *cycles_instruction(const struct cycles_view *view, size_t item)
{
    uint32_t encoding = *ARRAY_AT(uint32_t, &view->work->encodings, item);
    const char *text = model_text(view->model, model_encoding(view->model, encoding)->text);
    const char *at = text ? strchr(text, '@') : NULL;
    uint64_t target = view->targets ? view->targets[item] : NO_ADDRESS;
    autofree char *whole = at && target != NO_ADDRESS ? memory_format("%.*s0x%llx%s", (int)(at - text), text,
                                                                      (unsigned long long)target, at + 1)
                                                      : memory_format("%s", text ? text : "?");
    return text_safe(whole, strlen(whole));
}

char *cycles_refusal(const struct model *model, const struct machine *machine, const struct loop_path *path)
{
    if (isfinite(path->cycles))
        return NULL;
    if (path->is_cut)
        return memory_format("more than %d instructions", MOST_BLOCK_INSTRUCTIONS);
    if (path->missing) {
        const struct encoding *encoding = model_encoding(model, path->missing);
        const char *text = model_text(model, encoding->text);
        bool is_all = path->lack == lack_NONE || path->lack == lack_INSTRUCTION;
        const char *lack = path->lacking_extension ? path->lacking_extension : lack_doc(path->lack);
        return memory_format("%s does not have the instruction %s%s%s", machine->name, text ? text : "?",
                             is_all ? "" : ": it lacks ", is_all ? "" : lack);
    }
    if (!path->instruction_count)
        return memory_format("no path through the loop was analysed (raise --paths)");
    return memory_format("the machine file of %s does not describe its core", machine->name);
}

char *cycles_remark(const struct cycles_view *view)
{
    const struct loop_path *path = view->path;
    char *refusal = cycles_refusal(view->model, view->machine, path);
    if (refusal)
        return refusal;
    char parts[3][64] = {"", "", ""};
    if (path->known_count < path->instruction_count)
        snprintf(parts[0], sizeof parts[0], ", %u of %u assumed", path->instruction_count - path->known_count,
                 path->instruction_count);
    if (path->call_count)
        snprintf(parts[1], sizeof parts[1], ", calls not counted");
    if (view->path_count > view->seen_count)
        snprintf(parts[2], sizeof parts[2], ", %llu of %llu paths", (unsigned long long)view->seen_count,
                 (unsigned long long)view->path_count);
    autofree char *text = memory_format("%s%s%s", parts[0], parts[1], parts[2]);
    return *text ? memory_format("%s", text + strlen(", ")) : NULL;
}

static void print_heading(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    const struct loop_path *path = view->path;
    if (path->loop)
        report_loop_heading(view->model, path->loop, style, out);
    else
        fprintf(out, "%sblock%s of %u %s, %s", report_ink(style, ink_LOOP), report_ink(style, ink_PLAIN),
                view->work->block.size, view->work->block.size == 1 ? "byte" : "bytes",
                view->mode == cost_LOOP ? "as a loop" : "repeated without a branch");
    if (path->loop && view->told_count > 1)
        fprintf(out, ", path %u of %llu", path->path, (unsigned long long)view->path_count);
    if (path->is_exit)
        fputs(", which leaves the loop", out);
    fputs("\n\n", out);
}

struct ranked {
    enum core_part part;
    double cycles;
};

/* The largest first, and the limiting one before others with the same cycles. */
static unsigned rank_parts(const struct loop_path *path, struct ranked ranked[core_part_COUNT])
{
    unsigned count = 0;
    for (unsigned part = 1; part < core_part_COUNT; part++) {
        struct ranked new = {(enum core_part)part, path->bounds[part]};
        if (!(new.cycles > 0))
            continue;
        unsigned at = count++;
        for (; at > 0 && (ranked[at - 1].cycles < new.cycles ||
                          (ranked[at - 1].cycles <= new.cycles &&new.part == path->limit));
             at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = new;
    }
    return count;
}

static void print_bounds(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    const struct loop_path *path = view->path;
    if (view->data != data_level_L1) {
        report_cycles_data(view, style, out);
        fputs("\nThe core alone, with data in L1: ", out);
    }
    struct ranked ranked[core_part_COUNT];
    unsigned count = rank_parts(path, ranked);
    fprintf(out, "%s%.2f cycles%s per iteration, limited by %s%s%s\n", report_ink(style, ink_BOLD),
            path->cycles, report_ink(style, ink_PLAIN), report_ink(style, ink_BOLD),
            core_part_word(path->limit), report_ink(style, ink_PLAIN));
    if (isfinite(path->unaligned_cycles))
        fprintf(out, "%s%.2f cycles%s with the worst alignment of the data: vectors cross cache lines\n",
                report_ink(style, ink_BOLD), path->unaligned_cycles, report_ink(style, ink_PLAIN));
    if (isfinite(path->easy_cycles))
        fprintf(out, "%s%.2f-%.2f cycles%s by the operands: divisions of easy numbers are quicker\n",
                report_ink(style, ink_BOLD), path->easy_cycles, path->hard_cycles,
                report_ink(style, ink_PLAIN));
    if (isfinite(path->scattered_cycles))
        fprintf(
            out,
            "%s%.2f-%.2f cycles%s by the lines that gathers and scatters touch: they are repeated for each; one "
            "line for all lanes is assumed\n",
            report_ink(style, ink_BOLD), path->cycles, path->scattered_cycles, report_ink(style, ink_PLAIN));
    if (isfinite(path->repeated_cycles))
        fprintf(out,
                "%s%.2f cycles%s if iterations in a row update the same element: the load waits for the "
                "store\n",
                report_ink(style, ink_BOLD), path->repeated_cycles, report_ink(style, ink_PLAIN));
    putc('\n', out);
    for (unsigned i = 0; i < count; i++) {
        const char *word = core_part_word(ranked[i].part);
        size_t width = text_width(word);
        fprintf(out, "%8.2f  %s%*s  %s%s%s\n", ranked[i].cycles, word, width < 16 ? (int)(16 - width) : 0, "",
                report_ink(style, ink_DIM), core_part_doc(ranked[i].part), report_ink(style, ink_PLAIN));
    }
    bool has_source = view->mode == cost_LOOP && view->machine->core.cache_width;
    fputs(path->next || has_source ? "\n" : "", out);
    if (path->next)
        fprintf(out, "Without this limit: %s%.2f cycles (%s).\n",
                path->next_cycles < path->cycles ? "" : "still ", path->next_cycles,
                core_part_word(path->next));
    if (has_source)
        fprintf(out, "µops come from the %s.\n",
                path->is_loop_buffer ? "loop buffer (LSD)"
                : path->is_cached
                    ? "µop cache (DSB)"
                    : "legacy decoders (MITE): the µop cache (DSB) does not hold the whole loop");
}

static double port_sum(const struct cycles_view *view, unsigned port)
{
    unsigned ports = view->machine->port_count;
    double sum = 0;
    for (size_t i = 0; i < view->work->items.count; i++)
        sum += view->pressure[i * ports + port];
    return sum;
}

/* Cores have up to 17 ports: a column is no wider than its largest figure. */
static int figure_width(const double *sums, unsigned ports)
{
    double most = 0;
    for (unsigned port = 0; port < ports; port++)
        most = fmax(most, sums[port]);
    return most < 9.995 ? 5 : most < 99.995 ? 6 : 8;
}

static void print_port_figure(double figure, int width, FILE *out)
{
    if (figure < 0.005)
        fprintf(out, "%*s", width, "");
    else
        fprintf(out, "%*.2f", width, figure);
}

static bool is_marked(const struct cycles_view *view, size_t item)
{
    const uint8_t *marks = view->work->prediction.bounds[view->path->limit].marks;
    return marks && marks[item];
}

static void print_item(const struct cycles_view *view, size_t item, const bool *is_used, int width,
                       const struct report_style *style, FILE *out)
{
    const struct cost_item *row = ARRAY_AT(struct cost_item, &view->work->items, item);
    unsigned ports = view->machine->port_count;
    double least, most;
    char latency[32] = "";
    bool marked = is_marked(view, item), is_free = !row->cost->port_count && !view->work->is_bundled;
    if (cycles_latency(row->cost, &least, &most)) {
        if (least < most)
            snprintf(latency, sizeof latency, "%g-%g", least, most);
        else
            snprintf(latency, sizeof latency, "%g", most);
    }
    fprintf(out, "%s%c %5u  %7s ", marked ? report_ink(style, ink_BOLD) : "", marked ? '>' : ' ',
            cycles_slots(row), latency);
    for (unsigned port = 0; port < ports; port++)
        if (is_used[port])
            print_port_figure(view->pressure[item * ports + port], width, out);
    autofree char *text = cycles_instruction(view, item);
    fprintf(out, "  %s%s", text, marked ? report_ink(style, ink_PLAIN) : "");
    const char *remark = !row->cost->form && !view->work->is_bundled ? "assumed"
                         : row->is_absorbed                          ? "fused with the previous"
                         : row->is_fused                             ? "fused with the next"
                         : row->is_eliminated                        ? "eliminated at rename"
                         : is_free                                   ? "no port"
                                                                     : NULL;
    const char *note = view->notes ? view->notes[item] : NULL;
    if (remark || note)
        fprintf(out, "  %s(%s%s%s)%s", report_ink(style, ink_DIM), remark ? remark : "",
                remark && note ? "; " : "", note ? note : "", report_ink(style, ink_PLAIN));
    putc('\n', out);
}

static void print_instructions(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    unsigned ports = view->machine->port_count, slots = 0;
    bool is_used[MOST_PORTS] = {false}, has_marks = false;
    double sums[MOST_PORTS];
    for (unsigned port = 0; port < ports; port++) {
        sums[port] = port_sum(view, port);
        is_used[port] = sums[port] >= 0.005;
    }
    int width = figure_width(sums, ports);
    fprintf(out, "%s%s  %5s  latency ", view->is_short ? "" : "\n", report_ink(style, ink_BOLD),
            style->unicode ? " µops" : "uops");
    for (unsigned port = 0; port < ports; port++)
        if (is_used[port]) {
            const char *name = view->machine->ports[port];
            fprintf(out, "%*s%s", width - (int)strlen(name), name[1] ? "" : "p", name);
        }
    fprintf(out, "  instruction%s\n", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < view->work->items.count; i++) {
        print_item(view, i, is_used, width, style, out);
        has_marks = has_marks || is_marked(view, i);
        slots += cycles_slots(ARRAY_AT(struct cost_item, &view->work->items, i));
    }
    fprintf(out, "%s  %5u  %7s ", report_ink(style, ink_DIM), slots, "");
    for (unsigned port = 0; port < ports; port++)
        if (is_used[port])
            print_port_figure(sums[port], width, out);
    fprintf(out, "  all%s\n\n", report_ink(style, ink_PLAIN));
    if (has_marks)
        fprintf(out, "> marks the instructions behind this limit (%s).\n", core_part_word(view->path->limit));
}

/* Instructions with assumed costs, each form once. */
static void print_coverage(const struct cycles_view *view, FILE *out)
{
    const struct loop_path *path = view->path;
    if (path->known_count == path->instruction_count) {
        if (path->instruction_count == 1)
            fputs("The machine file has the cost of the instruction.\n", out);
        else
            fprintf(out, "The machine file has costs for all %u instructions.\n", path->instruction_count);
        return;
    }
    fprintf(out,
            "The machine file has costs for %u of %u instructions; %s lacks these, whose costs are assumed: ",
            path->known_count, path->instruction_count, view->machine->name);
    uint32_t named[MOST_NAMED];
    unsigned count = 0, left_out = 0;
    for (size_t i = 0; i < view->work->items.count; i++) {
        const struct machine_cost *cost = ARRAY_AT(struct cost_item, &view->work->items, i)->cost;
        uint32_t encoding = *ARRAY_AT(uint32_t, &view->work->encodings, i);
        const struct encoding *row = model_encoding(view->model, encoding);
        uint32_t form = row->form ? row->form : row->name;
        bool is_named = cost->form != NULL;
        for (unsigned k = 0; k < count && !is_named; k++)
            is_named = named[k] == form;
        if (is_named)
            continue;
        if (count == MOST_NAMED) {
            left_out++;
            continue;
        }
        named[count++] = form;
        double least, most;
        const char *text = model_text(view->model, form);
        autofree char *safe = text_safe(text ? text : "?", strlen(text ? text : "?"));
        fprintf(out, "%s%s (%u %s", count > 1 ? ", " : "", safe, cost->fused,
                cost->fused == 1 ? "µop" : "µops");
        if (cycles_latency(cost, &least, &most))
            fprintf(out, ", latency %g", most);
        putc(')', out);
    }
    if (left_out)
        fprintf(out, " and others");
    fputs(".\n", out);
}

static void print_notes(const struct cycles_view *view, FILE *out)
{
    const struct loop_path *path = view->path;
    print_coverage(view, out);
    if (path->call_count)
        fputs("The loop calls functions; their time is not included.\n", out);
    if (view->path_count > view->seen_count)
        fprintf(out, "%llu of %llu paths were analysed (raise --paths for more).\n",
                (unsigned long long)view->seen_count, (unsigned long long)view->path_count);
}

void report_cycles_block(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    char *refusal = cycles_refusal(view->model, view->machine, view->path);
    if (refusal) {
        autofree char *safe = text_safe(refusal, strlen(refusal));
        fprintf(out, "No cycles: %s.\n", safe);
        free(refusal);
        return;
    }
    if (!view->is_short)
        print_bounds(view, style, out);
    if (view->pressure)
        print_instructions(view, style, out);
    if (!view->is_short || view->path->known_count < view->path->instruction_count)
        print_notes(view, out);
}

void report_cycles(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    print_heading(view, style, out);
    report_cycles_block(view, style, out);
}

void cycles_details_begin(struct cycles_details *details, struct cycles_view *view, struct block_costs *work)
{
    *details = (struct cycles_details){.targets = ARRAY_OF(uint64_t)};
    if (work->items.count && view->path->limit != core_part_NONE) {
        details->pressure =
            memory_get(work->items.count * (view->machine->port_count + 1) * sizeof *details->pressure);
        cost_port_pressure(&work->block, &work->scratch, details->pressure);
    }
    if (!view->targets) {
        for (size_t i = 0; i < work->items.count; i++)
            *(uint64_t *)array_push(&details->targets) =
                model_instruction(view->model, ARRAY_AT(struct cost_item, &work->items, i)->id)->target;
        view->targets = details->targets.data;
    }
    view->work = work;
    view->pressure = details->pressure;
}

void cycles_details_end(struct cycles_details *details)
{
    free(details->pressure);
    array_free(&details->targets);
}
