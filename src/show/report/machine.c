/* The figures of the core are those of code/machine/core.def, each with its sentence.  Other values and forms
 * are shown as a machine file spells them, so that they can be copied into one. */
#include "show/report/machine.h"

#include "code/machine/host.h"
#include "code/machine/write.h"
#include "model/tables.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(void (*write)(const struct machine *, const void *, FILE *),
                     const struct machine *machine, const void *what)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return memory_format("%s", "");
    write(machine, what, stream);
    fclose(stream);
    return memory_format("%s", text + (text[0] == ' '));
}

static void write_run(const struct machine *machine, const void *run, FILE *out)
{
    form_write_ports(machine, *(const struct form_run *)run, out);
}

static void write_exceptions(const struct machine *machine, const void *form, FILE *out)
{
    form_write_exceptions(machine, form, out);
}

static void write_rest(const struct machine *machine, const void *form, FILE *out)
{
    form_write_words(machine, form, true, out);
}

/* The µops of a form over its ports, as machine files write them: `p01+2*p5`; to be freed. */
static char *machine_ports_text(const struct machine *machine, struct form_run run)
{
    return text_of(write_run, machine, &run);
}

/* A source in short: its first word, with a number where another source has the same. */
static void print_mark(const struct machine *machine, machine_source source, FILE *out)
{
    const char *text = machine_source_text(machine, source);
    if (!text)
        return;
    size_t length = strcspn(text, " ,.;:");
    unsigned earlier = 0;
    for (machine_source i = 1; i < source; i++) {
        const char *other = machine_source_text(machine, i);
        earlier += strcspn(other, " ,.;:") == length && !memcmp(other, text, length);
    }
    fprintf(out, "%.*s", (int)length, text);
    if (earlier)
        fprintf(out, " %u", earlier + 1);
}

/* After a figure: where it comes from, and its spread. */
static void print_origin(const struct machine *machine, machine_source source, float spread,
                         const struct report_style *style, FILE *out)
{
    if (!source && isnan(spread))
        return;
    fprintf(out, "  %s[", report_ink(style, ink_DIM));
    print_mark(machine, source, out);
    if (!isnan(spread))
        fprintf(out, "%s%s %.2g %%", source ? " " : "", style->unicode ? "±" : "+-", (double)spread);
    fprintf(out, "]%s", report_ink(style, ink_PLAIN));
}

static void print_fact_origin(const struct machine *machine, const char *word, const char *values,
                              const struct report_style *style, FILE *out)
{
    const struct machine_origin *origin = machine_origin(machine, word, values);
    if (origin)
        print_origin(machine, origin->source, origin->spread, style, out);
}

static void print_sources(const struct machine *machine, const struct report_style *style, FILE *out)
{
    for (machine_source i = 1; i <= machine->sources.count; i++) {
        fprintf(out, "  %s[", report_ink(style, ink_DIM));
        print_mark(machine, i, out);
        fprintf(out, "]%s  %s\n", report_ink(style, ink_PLAIN), machine_source_text(machine, i));
    }
}

static const struct machine_form *form_at(const struct array *forms, size_t i)
{
    return *ARRAY_AT(const struct machine_form *, forms, i);
}

/* By their texts: of const struct machine_form *; to be freed. */
static struct array forms_shown(const struct machine_view *view)
{
    struct array forms = machine_forms_in_order(view->machine);
    size_t count = 0;
    for (size_t i = 0; i < forms.count; i++)
        if (!view->filter || view->filter(view->context, form_at(&forms, i)->text))
            *ARRAY_AT(const struct machine_form *, &forms, count++) = form_at(&forms, i);
    forms.count = count;
    return forms;
}

static void print_forms(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    const struct machine *machine = view->machine;
    size_t widest = 4, ports_widest = 5;
    bool has_exceptions = false;
    struct array forms = forms_shown(view);
    for (size_t i = 0; i < forms.count; i++) {
        const struct machine_form *form = form_at(&forms, i);
        autofree char *ports = machine_ports_text(machine, form->ports);
        size_t width = strlen(form->text), ports_width = strlen(ports);
        widest = width > widest && width <= 40 ? width : widest;
        ports_widest = ports_width > ports_widest && ports_width <= 30 ? ports_width : ports_widest;
    }
    fprintf(out, "\n%zu of %zu instruction forms\n", forms.count, machine->forms.count);
    if (!forms.count) {
        array_free(&forms);
        return;
    }
    fprintf(out, "%s%-*s  %6s  %-*s  latency%s\n", report_ink(style, ink_BOLD), (int)widest, "form",
            style->unicode ? " µops" : "uops", (int)ports_widest, "ports", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < forms.count; i++) {
        const struct machine_form *form = form_at(&forms, i);
        char *ports = machine_ports_text(machine, form->ports), uops[24], latency[24] = "?";
        autofree char *exceptions = text_of(write_exceptions, machine, form),
                      *rest = text_of(write_rest, machine, form);
        snprintf(uops, sizeof uops, form->fused == form->unfused ? "%u" : "%u/%u", form->fused,
                 form->unfused);
        if (!isnan(form->latency))
            snprintf(latency, sizeof latency, "%g", (double)form->latency);
        fprintf(out, "%-*s  %5s  %-*s  %s%s%s%s%s", (int)widest, form->text, uops, (int)ports_widest, ports,
                latency, *exceptions ? " " : "", exceptions, *rest ? "  " : "", rest);
        print_origin(machine, form->source, form->spread, style, out);
        putc('\n', out);
        has_exceptions = has_exceptions || *exceptions;
        free(ports);
    }
    array_free(&forms);
    if (has_exceptions)
        fprintf(out,
                "\n%s2>1=4: 4 cycles from operand 2 to operand 1; addr and index: from the registers of an "
                "address,\nmem: from memory, f: flags, *: any, -: no dependence%s\n",
                report_ink(style, ink_DIM), report_ink(style, ink_PLAIN));
}

static double figure_of(const struct machine *machine, unsigned figure)
{
    return *(const double *)((const char *)machine + machine_figures[figure].offset);
}

static void print_widths(const struct machine *machine, const struct report_style *style, FILE *out)
{
    fprintf(out, "\n%speak per cycle%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < machine_figure_count; i++)
        if (figure_of(machine, i) > 0) {
            fprintf(out, "%8g  %s", figure_of(machine, i), machine_figures[i].sentence);
            print_fact_origin(machine, machine_figures[i].word, NULL, style, out);
            putc('\n', out);
        }
    if (machine->bundles)
        fprintf(out, "%8u  bundles\n", machine->bundles);
}

/* A figure in a table, or a dash. */
static void print_figure(double value, const char *format, FILE *out)
{
    char text[24] = "-";
    if (value > 0)
        snprintf(text, sizeof text, "%g", value);
    fprintf(out, format, text);
}

static void print_cache_figures(const struct machine_cache *cache, FILE *out)
{
    print_figure(cache->bytes_per_cycle, "  %12s", out);
    print_figure(cache->stored_per_cycle, "  %6s", out);
    print_figure(cache->copied_per_cycle, "  %6s", out);
    print_figure(cache->updated_per_cycle, "  %7s", out);
    print_figure(cache->latency, "  %14s", out);
}

/* After the figures of a level: what kind they are. */
static void print_cache_basis(const struct machine_cache *cache, const struct report_style *style, FILE *out)
{
    if (cache->source)
        fprintf(out, "  %s[%.*s]%s", report_ink(style, ink_DIM), machine_cache_basis_length(cache),
                cache->source, report_ink(style, ink_PLAIN));
}

static void print_cache_source(const struct machine_cache *cache, const char *name,
                               const struct report_style *style, FILE *out)
{
    if (cache->source)
        fprintf(out, "%8s  %s%s%s\n", name, report_ink(style, ink_DIM), cache->source,
                report_ink(style, ink_PLAIN));
}

/* The texts of all levels, below their table. */
static void print_cache_sources(const struct machine *machine, const struct report_style *style, FILE *out)
{
    for (unsigned i = 0; i < machine->cache_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "L%u", machine->caches[i].level);
        print_cache_source(&machine->caches[i], name, style, out);
    }
    print_cache_source(&machine->main_memory, "memory", style, out);
}

/* The lines of caches are in the order of their levels, from 1. */
static void print_cache_origin(const struct machine *machine, unsigned level,
                               const struct report_style *style, FILE *out)
{
    for (size_t i = 0; i < machine->origins.count; i++) {
        const struct machine_origin *origin = ARRAY_AT(struct machine_origin, &machine->origins, i);
        if (!strcmp(origin->word, "cache") && strtoul(origin->values, NULL, 10) == level)
            print_origin(machine, origin->source, origin->spread, style, out);
    }
}

static void print_caches(const struct machine *machine, const struct report_style *style, FILE *out)
{
    const struct machine_cache *memory = &machine->main_memory;
    bool has_memory = memory->bytes_per_cycle > 0 || memory->latency > 0;
    if (!machine->cache_count && !has_memory)
        return;
    fprintf(out, "\n%scaches of data%s\n%8s  %-6s  %4s  %4s  %12s  %6s  %6s  %7s  %14s\n",
            report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN), "", "size", "ways", "line",
            "bytes/cycle", "stored", "copied", "updated", "cycles of load");
    for (unsigned i = 0; i < machine->cache_count; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        autofree char *size = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&size, &length);
        if (!stream)
            return;
        machine_write_size(cache->bytes, stream);
        fclose(stream);
        fprintf(out, "%7s%u  %-6s", "L", cache->level, size);
        print_figure(cache->ways, "  %4s", out);
        print_figure(cache->line, "  %4s", out);
        print_cache_figures(cache, out);
        fputs(cache->is_shared ? "  shared" : "", out);
        print_cache_basis(cache, style, out);
        print_cache_origin(machine, cache->level, style, out);
        putc('\n', out);
    }
    if (has_memory) {
        fprintf(out, "%8s  %-6s  %4s  %4s", "memory", "", "", "");
        print_cache_figures(memory, out);
        print_cache_basis(memory, style, out);
        print_fact_origin(machine, "main-memory", NULL, style, out);
        putc('\n', out);
    }
    print_cache_sources(machine, style, out);
}

/* The value of a row of the core, or one of its lines; NULL where the file does not give it. */
static char *core_text(const struct machine *machine, const struct core_row *row, unsigned line)
{
    char *text = NULL, *trimmed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    bool is_there = core_write_value(machine, row, line, stream);
    fclose(stream);
    if (is_there)
        trimmed = memory_format("%s", row->kind == core_FLAG ? "yes" : text + (text[0] == ' '));
    free(text);
    return trimmed;
}

/* A line for each kind: cycles from one to the next, with easy and with hard operands, and on what they rest. */
static void print_divisions(const struct machine *machine, const struct report_style *style, FILE *out)
{
    static const char *const names[] = {"easy", "hard"};
    for (size_t i = 0; i < machine->divisions.count; i++) {
        const struct machine_division *row = ARRAY_AT(struct machine_division, &machine->divisions, i);
        const struct division_figures *easy = &row->of[division_EASY], *hard = &row->of[division_HARD];
        autofree char *range = memory_format("%g-%g", easy->busy, hard->busy);
        autofree char *width = row->bits ? memory_format("%u bits", row->bits) : memory_format("scalar");
        fprintf(out, "%8s  cycles from one %s to the next by the operands, %s, %s; latency %g-%g",
                easy->busy < hard->busy ? range : range + strcspn(range, "-") + 1, class_word(row->class),
                element_word(row->element), width, easy->latency, hard->latency);
        fputs(report_ink(style, ink_DIM), out);
        for (unsigned end = 0; end < division_END_COUNT; end++)
            fprintf(out, "%s%s: %s", end ? "; " : "  [", names[end],
                    row->of[end].source ? row->of[end].source : "not given");
        fprintf(out, "]%s\n", report_ink(style, ink_PLAIN));
    }
}

static void print_core(const struct machine *machine, const struct report_style *style, FILE *out)
{
    const char *word = NULL;
    fprintf(out, "\n%score%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < core_row_count; i++) {
        const struct core_row *row = &core_rows[i];
        char *text;
        word = row->kind == core_FACT ? row->name : word;
        for (unsigned line = 0; row->kind != core_FACT && (text = core_text(machine, row, line)); line++) {
            fprintf(out, "%8s  %s", text, row->sentence);
            print_fact_origin(machine, word, row->kind == core_OTHER ? text : NULL, style, out);
            putc('\n', out);
            free(text);
        }
    }
    for (size_t i = 0; i < machine->slow_forms.count; i++) {
        const struct machine_slow_form *slow = ARRAY_AT(struct machine_slow_form, &machine->slow_forms, i);
        autofree char *values = memory_format("%g %s", slow->cycles, slow->form);
        fprintf(out, "%8g  cycles of %s with the slowest operands", slow->cycles, slow->form);
        print_fact_origin(machine, "slow", values, style, out);
        putc('\n', out);
    }
    print_divisions(machine, style, out);
    if (machine->port_count)
        fprintf(out, "%8u  execution ports:", machine->port_count);
    for (unsigned port = 0; port < machine->port_count; port++)
        fprintf(out, " %s", machine->ports[port]);
    if (machine->port_count)
        print_fact_origin(machine, "ports", NULL, style, out);
    fputs(machine->port_count ? "\n" : "", out);
}

/* How a computer was recognised, where not by its number alone; NULL: by that.  To be freed. */
static char *fit_words(const struct host_judgement *host)
{
    if (host->fit == host_fit_NEAREST)
        return memory_format("the nearest to this computer's, which no file describes (%x %x)", host->family,
                             host->model);
    if (host->fit != host_fit_FEATURES)
        return NULL;
    return memory_format("by its instructions: it says that it is %s (%x %x), which has no %s",
                         host->numbered, host->family, host->model,
                         generation_feature_word(generation_newest(host->beyond)));
}

char *report_machine_words(const struct machine *machine, bool is_named, bool is_host)
{
    autofree char *words = machine_words(machine), *titles = extensions_titles(machine->without);
    autofree char *fit = is_named || !is_host ? NULL : fit_words(&machine->host);
    bool is_lacking = is_host && machine->without;
    return memory_format("%s (%s)%s%s%s%s%s%s%s", words, machine->title,
                         is_named                                ? ""
                         : !is_host                              ? ", assumed"
                         : machine->host.fit == host_fit_NEAREST ? ", "
                         : fit                                   ? ", this computer's "
                                                                 : ", this computer's",
                         fit ? fit : "", is_lacking ? ": " : "",
                         is_lacking ? host_lack_words(machine->isa) : "", is_lacking ? " " : "",
                         is_lacking ? titles : "", is_named ? "" : "; choose another with --machine");
}

static bool is_host(const struct machine *machine, const struct machine *host)
{
    return host && !strcmp(machine->name, host->name);
}

/* Whether the machine is this computer, or this computer lacks some of its extensions. */
static char *host_words(const struct machine *machine, const struct machine *host)
{
    if (is_host(machine, host))
        return memory_format("%s", "; this computer");
    if (!host || strcmp(machine->base_name, host->base_name))
        return memory_format("%s", "");
    autofree char *titles = extensions_titles(host->without & ~machine->without);
    return *titles
               ? memory_format("; this computer is %s: %s %s", host->name, host_lack_words(host->isa), titles)
               : memory_format("%s", "");
}

static void print_for_people(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    const struct machine *machine = view->machine;
    if (!view->without_core) {
        autofree char *titles = extensions_titles(machine->without), *host = host_words(machine, view->host);
        fprintf(out, "%s%s%s: %s%s%s, %s%s\n", report_ink(style, ink_BOLD), machine->name,
                report_ink(style, ink_PLAIN), machine->title, *titles ? " without " : "", titles,
                isa_word(machine->isa), host);
        for (unsigned i = 0; i < MOST_MACHINE_NAMES && machine->names[i]; i++)
            fprintf(out, "%s%s", i ? ", " : "also: ", machine->names[i]);
        fputs(machine->names[0] ? "\n" : "", out);
        fprintf(out, "figures: %s\n", machine->figures);
        print_sources(machine, style, out);
        print_widths(machine, style, out);
        print_core(machine, style, out);
        print_caches(machine, style, out);
    }
    print_forms(view, style, out);
}

static void write_text(FILE *out, const char *text, bool is_json)
{
    (is_json ? report_json_text : report_csv_text)(out, text, strlen(text));
}

static void write_real(FILE *out, double value, bool is_json)
{
    if (isnan(value))
        fputs(is_json ? "null" : "", out);
    else
        fprintf(out, "%.7g", value);
}

static void write_source(const struct machine *machine, machine_source source, bool is_json, FILE *out)
{
    const char *text = machine_source_text(machine, source);
    if (text)
        write_text(out, text, is_json);
    else
        fputs(is_json ? "null" : "", out);
}

/* A form as a json object, or as a row of csv with the same columns. */
static void write_form(const struct machine *machine, const struct machine_form *form, bool is_json,
                       FILE *out)
{
    autofree char *ports = machine_ports_text(machine, form->ports);
    autofree char *exceptions = text_of(write_exceptions, machine, form),
                  *rest = text_of(write_rest, machine, form);
    const char *const names[] = {"form", "ports", "exceptions", "more"};
    const char *const texts[] = {form->text, ports, exceptions, rest};
    for (unsigned i = 0; i < 4; i++) {
        if (is_json)
            fprintf(out, "%s\"%s\":", i ? "," : "{", names[i]);
        else
            fputs(i ? "," : "", out);
        write_text(out, texts[i], is_json);
    }
    fprintf(out, is_json ? ",\"uops\":%u,\"executed\":%u,\"latency\":" : ",%u,%u,", form->fused,
            form->unfused);
    write_real(out, form->latency, is_json);
    fputs(is_json ? ",\"divider\":" : ",", out);
    write_real(out, form->divider > 0 ? form->divider : NAN, is_json);
    fputs(is_json ? ",\"throughput\":" : ",", out);
    write_real(out, form->throughput, is_json);
    fputs(is_json ? ",\"source\":" : ",", out);
    write_source(machine, form->source, is_json, out);
    fputs(is_json ? ",\"spread\":" : ",", out);
    write_real(out, (double)form->spread, is_json);
    fputs(is_json ? "}" : "\r\n", out);
}

/* Numbers and booleans as such, ports as text, rows of several lines as a list. */
static void write_json_row(const struct machine *machine, const struct core_row *row, FILE *out)
{
    const void *value = (const char *)&machine->core + row->offset;
    char *text = core_text(machine, row, 0);
    fprintf(out, ",\"%s\":", row->name);
    if (row->kind == core_FLAG) {
        fputs(text ? "true" : "false", out);
    } else if (row->kind == core_PORTS) {
        report_json_text(out, text ? text : "p", strlen(text ? text : "p"));
    } else if (row->kind == core_OTHER) {
        putc('[', out);
        for (unsigned line = 0; text; free(text), text = core_text(machine, row, ++line)) {
            fputs(line ? "," : "", out);
            report_json_text(out, text, strlen(text));
        }
        putc(']', out);
    } else {
        double number = row->kind == core_CYCLES ? *(const double *)value : *(const unsigned *)value;
        write_real(out, text ? number : NAN, true);
    }
    free(text);
}

static void write_json_core(const struct machine *machine, FILE *out)
{
    for (unsigned i = 0; i < machine_figure_count; i++) {
        fprintf(out, "\"%s\":", machine_figures[i].word);
        write_real(out, figure_of(machine, i) > 0 ? figure_of(machine, i) : NAN, true);
        putc(',', out);
    }
    fputs("\"bundles\":", out);
    write_real(out, machine->bundles ? machine->bundles : NAN, true);
    for (unsigned i = 0; i < core_row_count; i++)
        if (core_rows[i].kind != core_FACT)
            write_json_row(machine, &core_rows[i], out);
}

static void write_json_level(const struct machine_cache *cache, FILE *out)
{
    if (cache->level)
        fprintf(out, "{\"level\":%u,\"bytes\":%llu,\"ways\":%u,\"line\":%u,\"is_shared\":%s,", cache->level,
                (unsigned long long)cache->bytes, cache->ways, cache->line,
                cache->is_shared ? "true" : "false");
    static const char *const names[] = {"bytes_per_cycle",   "stored_per_cycle", "copied_per_cycle",
                                        "updated_per_cycle", "overlap",          "latency"};
    const double figures[] = {cache->bytes_per_cycle,   cache->stored_per_cycle, cache->copied_per_cycle,
                              cache->updated_per_cycle, cache->overlap,          cache->latency};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : cache->level ? "" : "{", names[i]);
        write_real(out, figures[i] > 0 ? figures[i] : NAN, true);
    }
    fputs(",\"source\":", out);
    if (cache->source)
        write_text(out, cache->source, true);
    else
        fputs("null", out);
    putc('}', out);
}

static void write_json_caches(const struct machine *machine, FILE *out)
{
    fputs(",\"caches\":[", out);
    for (unsigned i = 0; i < machine->cache_count; i++) {
        fputs(i ? "," : "", out);
        write_json_level(&machine->caches[i], out);
    }
    fputs("],\"memory\":", out);
    write_json_level(&machine->main_memory, out);
}

/* Facts that have a source or a spread of their own. */
static void write_json_divisions(const struct machine *machine, FILE *out)
{
    static const char *const names[] = {"easy", "hard"};
    fputs(",\"divisions\":[", out);
    for (size_t i = 0; i < machine->divisions.count; i++) {
        const struct machine_division *row = ARRAY_AT(struct machine_division, &machine->divisions, i);
        fputs(i ? "," : "", out);
        struct row_writer writer = row_begin_object(out);
        row_text(&writer, "class", class_word(row->class));
        row_text(&writer, "element", element_word(row->element));
        row_number(&writer, "bits", row->bits ? row->bits : NAN);
        for (unsigned end = 0; end < division_END_COUNT; end++) {
            const struct division_figures *figures = &row->of[end];
            struct row_writer inner = row_begin_object_named(&writer, names[end]);
            row_number(&inner, "latency", figures->latency);
            row_number(&inner, "busy", figures->busy);
            row_text(&inner, "basis", figures->source ? division_basis_word(division_basis(figures)) : NULL);
            row_text(&inner, "source", figures->source);
            row_end_object(&inner);
        }
        row_end_object(&writer);
    }
    putc(']', out);
}

static void write_json_origins(const struct machine *machine, FILE *out)
{
    fputs(",\"origins\":[", out);
    for (size_t i = 0; i < machine->origins.count; i++) {
        const struct machine_origin *origin = ARRAY_AT(struct machine_origin, &machine->origins, i);
        fputs(i ? ",\n {\"fact\":" : "{\"fact\":", out);
        write_text(out, origin->word, true);
        fputs(",\"values\":", out);
        write_text(out, origin->values, true);
        fputs(",\"source\":", out);
        write_source(machine, origin->source, true, out);
        fputs(",\"spread\":", out);
        write_real(out, (double)origin->spread, true);
        putc('}', out);
    }
    putc(']', out);
}

static void write_json(const struct machine_view *view, FILE *out)
{
    const struct machine *machine = view->machine;
    const char *const names[] = {"name", "title", "isa", "figures"};
    const char *const texts[] = {machine->name, machine->title, isa_word(machine->isa), machine->figures};
    for (unsigned i = 0; i < 4; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "[{", names[i]);
        write_text(out, texts[i], true);
    }
    fprintf(out, ",\"is_host\":%s,\"ports\":[", is_host(machine, view->host) ? "true" : "false");
    for (unsigned port = 0; port < machine->port_count; port++) {
        fputs(port ? "," : "", out);
        write_text(out, machine->ports[port], true);
    }
    fputs("],\"core\":{", out);
    write_json_core(machine, out);
    putc('}', out);
    write_json_caches(machine, out);
    write_json_divisions(machine, out);
    write_json_origins(machine, out);
    fputs(",\"forms\":[", out);
    struct array forms = forms_shown(view);
    for (size_t i = 0; i < forms.count; i++) {
        fputs(i ? ",\n " : "\n ", out);
        write_form(machine, form_at(&forms, i), true, out);
    }
    array_free(&forms);
    fputs("]}]\n", out);
}

void report_machine(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    if (style->format == report_TABLE) {
        print_for_people(view, style, out);
    } else if (style->format == report_JSON) {
        write_json(view, out);
    } else {
        fputs("form,ports,exceptions,more,uops,executed,latency,divider,throughput,source,spread\r\n", out);
        struct array forms = forms_shown(view);
        for (size_t i = 0; i < forms.count; i++)
            write_form(view->machine, form_at(&forms, i), false, out);
        array_free(&forms);
    }
}

static void write_line(const struct machine_line *line, bool is_json, FILE *out)
{
    const struct machine *machine = line->machine;
    const char *const names[] = {"name", "title", "isa", "figures", "problem"};
    const char *const texts[] = {line->name, machine ? machine->title : NULL,
                                 machine ? isa_word(machine->isa) : NULL, machine ? machine->figures : NULL,
                                 line->problem};
    for (unsigned i = 0; i < 5; i++) {
        if (is_json)
            fprintf(out, "%s\"%s\":", i ? "," : "{", names[i]);
        else
            fputs(i ? "," : "", out);
        if (texts[i])
            write_text(out, texts[i], is_json);
        else
            fputs(is_json ? "null" : "", out);
    }
    fprintf(out, is_json ? ",\"is_host\":%s,\"forms\":" : ",%s,",
            is_json      ? line->host ? "true" : "false"
            : line->host ? "1"
                         : "0");
    write_real(out, machine ? (double)machine->forms.count : NAN, is_json);
    fputs(is_json ? "}" : "\r\n", out);
}

static void print_line(const struct machine_line *line, size_t names, size_t titles,
                       const struct report_style *style, FILE *out)
{
    const struct machine *machine = line->machine;
    if (!machine) {
        autofree char *safe = text_safe(line->problem, strlen(line->problem));
        fprintf(out, "  %-*s  cannot be read: %s\n", (int)names, line->name, safe);
        return;
    }
    size_t used = names + titles + strlen("      x86-64    10000  ");
    size_t room = !style->width ? SIZE_MAX : style->width > used + 12 ? style->width - used : 12;
    autofree char *origin = text_cut(machine->figures, room, false, style->unicode);
    fprintf(out, "%s%-*s  %-*s  %-7s  %6zu  %s\n", line->host ? "* " : "  ", (int)names, line->name,
            (int)titles, machine->title, isa_word(machine->isa), machine->forms.count, origin);
}

void report_machines(const struct machine_line *lines, size_t count, const struct report_style *style,
                     FILE *out)
{
    bool is_json = style->format == report_JSON;
    size_t names = 4, titles = 9, host = count;
    for (size_t i = 0; i < count; i++) {
        size_t name = strlen(lines[i].name), title = lines[i].machine ? strlen(lines[i].machine->title) : 0;
        names = name > names ? name : names;
        titles = title > titles ? title : titles;
        host = lines[i].host ? i : host;
    }
    if (style->format != report_TABLE) {
        fputs(is_json ? "[" : "name,title,isa,figures,problem,is_host,forms\r\n", out);
        for (size_t i = 0; i < count; i++) {
            fputs(is_json && i ? ",\n " : "", out);
            write_line(&lines[i], is_json, out);
        }
        fputs(is_json ? "]\n" : "", out);
        return;
    }
    fprintf(out, "%s  %-*s  %-*s  %-7s  %6s  figures from%s\n", report_ink(style, ink_BOLD), (int)names,
            "name", (int)titles, "processor", "runs", "forms", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < count; i++)
        print_line(&lines[i], names, titles, style, out);
    if (host == count) {
        fputs("\nthis computer's processor is not in the list\n", out);
        return;
    }
    autofree char *lacking = extensions_titles(lines[host].host->without),
                  *fit = fit_words(&lines[host].host->host);
    fprintf(out, "\n* this computer: %s (%s)%s%s%s%s%s%s\n", lines[host].host->name,
            lines[host].machine->title, fit ? ", " : "", fit ? fit : "", *lacking ? "; " : "",
            *lacking ? host_lack_words(lines[host].machine->isa) : "", *lacking ? " " : "", lacking);
}
