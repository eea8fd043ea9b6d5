/* Cycles with data beyond the first cache, in words: what they are, what each level takes, and which lines an
   iteration touches. */
#include "show/report/cycles.h"

#include "model/tables.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>

/* L1, L2, L3 or memory. */
static const char *cycles_level_name(enum data_level level)
{
    static const char *const names[data_level_COUNT] = {[data_level_L1] = "L1",
                                                        [data_level_L2] = "L2",
                                                        [data_level_L3] = "L3",
                                                        [data_level_MEMORY] = "memory"};
    return names[level];
}

static const struct data_cycles *at_level(const struct cycles_view *view, enum data_level level)
{
    int place = data_place(view->machine, level);
    return place < 0 ? NULL : &view->path->data[place];
}

/* The machine has the level. */
static const struct machine_cache *figures_of(const struct machine *machine, enum data_level level)
{
    return data_level_of(machine, (unsigned)data_place(machine, level));
}

double cycles_with_data(const struct cycles_view *view)
{
    const struct data_cycles *at = at_level(view, view->data);
    return view->data == data_level_L1 ? view->path->cycles : at ? at->cycles : (double)NAN;
}

const char *cycles_limit_word(const struct cycles_view *view)
{
    const struct data_cycles *at = at_level(view, view->data);
    if (view->data == data_level_L1 || (at && at->limit == data_limit_CORE))
        return view->path->limit ? core_part_word(view->path->limit) : NULL;
    return at && at->limit ? data_limit_word(at->limit) : NULL;
}

char *cycles_level_refusal(const struct machine *machine, enum data_level level)
{
    int place = data_place(machine, level);
    if (level == data_level_L1)
        return NULL;
    if (machine->bundles)
        return memory_format("lines of data are not counted on machines with bundles (%s)", machine->name);
    if (place < 0)
        return memory_format("the machine file of %s has no %s cache", machine->name,
                             cycles_level_name(level));
    if (figures_of(machine, level)->bytes_per_cycle > 0)
        return NULL;
    return memory_format(
        "the machine file of %s has no bandwidth of %s (assay bench --memory measures it on such "
        "a computer)",
        machine->name, cycles_level_name(level));
}

const char *cycles_level_source(const struct machine *machine, enum data_level level)
{
    bool is_there = level != data_level_L1 && data_place(machine, level) > 0;
    return is_there ? figures_of(machine, level)->source : NULL;
}

void report_cycles_source(const struct machine *machine, enum data_level level, FILE *out)
{
    const char *source = cycles_level_source(machine, level);
    if (source && level == data_level_MEMORY)
        fprintf(out, "The figures of %s's memory are one computer's, and others differ: %s.\n", machine->name,
                source);
    else if (source)
        fprintf(out, "The figures of %s's %s: %s.\n", machine->name, cycles_level_name(level), source);
}

/* One kind of lines: "0.25 loaded". */
static void say_lines(FILE *out, const char **joint, double lines, const char *what)
{
    if (!(lines > 0))
        return;
    fprintf(out, "%s%.4g %s", *joint, lines, what);
    *joint = ", ";
}

static void say_all_lines(const struct cycles_view *view, FILE *out)
{
    const struct line_counts *lines = &view->path->lines;
    double all = lines->loaded + lines->updated + lines->stored + lines->streamed;
    const char *joint = ": ";
    if (!(all > 0)) {
        fputs("An iteration touches no new lines of data.\n", out);
        return;
    }
    unsigned bytes = view->machine->cache_count ? view->machine->caches[0].line : 0;
    fprintf(out, "An iteration touches %.4g new lines of %u bytes", all, bytes ? bytes : 64);
    say_lines(out, &joint, lines->loaded, "loaded");
    say_lines(out, &joint, lines->updated, "loaded and written back");
    say_lines(out, &joint, lines->stored, "written whole");
    say_lines(out, &joint, lines->streamed, "written past the caches");
    fputs(".\n", out);
    if (view->path->unknown_lines > 0)
        fprintf(out,
                "Of these, %.4g at places that the code does not show; each such access is counted as a "
                "line.\n",
                view->path->unknown_lines);
}

static void print_level(const struct cycles_view *view, enum data_level level,
                        const struct report_style *style, FILE *out)
{
    struct cycles_view there = *view;
    const struct data_cycles *at = at_level(view, level);
    there.data = level;
    if (!at || isnan(cycles_with_data(&there)))
        return;
    fprintf(out, "%8.2f  %-16s  %slimited by %s", cycles_with_data(&there), cycles_level_name(level),
            report_ink(style, ink_DIM), cycles_limit_word(&there));
    if (level != data_level_L1)
        fprintf(out, "; lines alone take %.2f%s", at->lines,
                machine_cache_is_assumed(figures_of(view->machine, level)) ? "; assumed" : "");
    fprintf(out, "%s\n", report_ink(style, ink_PLAIN));
}

void report_cycles_data(const struct cycles_view *view, const struct report_style *style, FILE *out)
{
    double cycles = cycles_with_data(view);
    if (isnan(cycles)) {
        autofree char *refusal = cycles_level_refusal(view->machine, view->data);
        fprintf(out, "No cycles with data in %s: %s.\n", cycles_level_name(view->data),
                refusal ? refusal : "its lines are not known");
        return;
    }
    fprintf(out, "%s%.2f cycles%s per iteration with data in %s, limited by %s%s%s\n\n",
            report_ink(style, ink_BOLD), cycles, report_ink(style, ink_PLAIN), cycles_level_name(view->data),
            report_ink(style, ink_BOLD), cycles_limit_word(view), report_ink(style, ink_PLAIN));
    for (unsigned level = 0; level <= view->data; level++)
        print_level(view, (enum data_level)level, style, out);
    putc('\n', out);
    say_all_lines(view, out);
    report_cycles_source(view->machine, view->data, out);
}
