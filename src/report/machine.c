/* The figures of the core stand in one table, with the sentence that people read and the name that programs
   read, so that a new figure is a new line here.  Forms are told in the words of the machine file, so that
   what is shown can be put into one. */
#include "report/machine.h"

#include "model/tables.h"
#include "report/rows.h"
#include "report/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum figure_kind { FIGURE_COUNT, FIGURE_REAL, FIGURE_FLAG, FIGURE_PORTS };

struct figure {
    const char *name, *sentence;
    size_t offset; /* in struct machine_core */
    enum figure_kind kind;
};

#define COUNT(field, sentence)                                                                               \
    {                                                                                                        \
#field, sentence, offsetof(struct machine_core, field), FIGURE_COUNT                                 \
    }
#define CYCLES(field, sentence)                                                                              \
    {                                                                                                        \
#field, sentence, offsetof(struct machine_core, field), FIGURE_REAL                                  \
    }
#define FLAG(field, sentence)                                                                                \
    {                                                                                                        \
#field, sentence, offsetof(struct machine_core, field), FIGURE_FLAG                                  \
    }
#define PORTS(field, sentence)                                                                               \
    {                                                                                                        \
#field, sentence, offsetof(struct machine_core, field), FIGURE_PORTS                                 \
    }

static const struct figure figures[] = {
    COUNT(predecode_bytes, "bytes that the predecoder looks at in a cycle"),
    COUNT(predecode_width, "instructions that it finds in a cycle"),
    CYCLES(length_change, "cycles that a length-changing prefix costs it"),
    COUNT(instruction_queue, "instructions between predecoder and decoders"),
    COUNT(decoders, "decoders"),
    COUNT(complex_uops, "µops of an instruction that the first decoder takes"),
    COUNT(decode_uops, "µops that all decoders yield in a cycle"),
    FLAG(fuses_on_last_decoder, "what may fuse with a branch may sit on the last decoder"),
    CYCLES(microcode_switch, "cycles to the microcode sequencer and back"),
    CYCLES(microcode_switch_cached, "cycles to it and back from the µop cache"),
    COUNT(cache_width, "µops that the µop cache yields in a cycle"),
    COUNT(cache_block, "bytes of code in a set of its lines"),
    COUNT(cache_lines, "lines in such a set"),
    COUNT(cache_line_uops, "µops in a line"),
    FLAG(cache_in_pairs, "both halves of 64 bytes must fit the µop cache"),
    FLAG(cache_without_borders, "a branch across or at a border of such a stretch is not cached"),
    COUNT(decode_queue, "µops between decoders and renaming"),
    COUNT(loop_buffer, "µops of a loop that the loop buffer replays"),
    COUNT(issue, "µops renamed in a cycle"),
    FLAG(keeps_pairs, "an index does not split what is fused with a branch"),
    COUNT(splits, "µops that renaming splits in a cycle"),
    COUNT(split_reach, "only among so many first ones of the cycle"),
    COUNT(retire, "µops retired in a cycle"),
    COUNT(reorder_buffer, "µops in flight"),
    COUNT(scheduler, "µops that wait for operands"),
    COUNT(eliminates_general, "moves of general registers that renaming does at a time"),
    COUNT(eliminates_vector, "moves of vector registers that renaming does at a time"),
    FLAG(high_bytes_apart, "ah, bh, ch and dh are renamed apart"),
    FLAG(has_stack_engine, "pushes and pops move the stack pointer at no cost"),
    COUNT(load_bytes, "bytes of a load in one cycle"),
    COUNT(store_bytes, "bytes of a store in one cycle"),
    PORTS(load_ports, "ports that load"),
    PORTS(address_ports, "ports that take the addresses of stores"),
    PORTS(store_ports, "ports that take the data of stores"),
    COUNT(load_banks, "banks of the first-level cache"),
    CYCLES(forward, "cycles from a store to a load of the value"),
    CYCLES(forward_vector, "cycles from a store of a vector register to a load of the value"),
    CYCLES(forward_failed, "cycles from a store to a load that is not within it"),
    FLAG(renames_memory, "a value stored and loaded again, both without an index, takes no time"),
    COUNT(wide_load, "bytes of a load beyond which a cycle has fewer"),
    COUNT(wide_loads, "how many loads such a cycle has"),
    COUNT(load_line, "a load across a border of so many bytes takes two turns"),
    COUNT(store_line, "bytes of the line that stores of one cycle share"),
    COUNT(branch_border, "a jump across a border of so many bytes takes a cycle more"),
    CYCLES(pointer_bonus, "cycles that a load is faster whose base was just loaded"),
    COUNT(pointer_reach, "displacements up to this one have that"),
    COUNT(vector_bits, "bits of the longest vector"),
    COUNT(vector_registers, "vector registers"),
    CYCLES(transition, "cycles of a switch between SSE and AVX code with upper halves of registers in use"),
    FLAG(blends_upper_halves, "SSE code waits for old values of registers while upper halves are in use"),
    CYCLES(clock, "GHz"),
    FLAG(is_in_order, "instructions issue in order"),
    COUNT(issue_every, "cycles from one issue of a thread to the next"),
    COUNT(address_wait, "cycles from an instruction to the use of its result in an address"),
};

static void add_port_name(struct array *text, const struct machine *machine, unsigned port)
{
    const char *name = machine->ports[port];
    memcpy(array_push_many(text, strlen(name)), name, strlen(name));
}

static char *port_names(const struct machine *machine, uint32_t ports)
{
    struct array text = ARRAY_OF(char);
    *(char *)array_push(&text) = 'p';
    for (unsigned port = 0; port < machine->port_count; port++)
        if (ports >> port & 1)
            add_port_name(&text, machine, port);
    *(char *)array_push(&text) = 0;
    return text.data;
}

char *machine_ports_text(const struct machine *machine, struct form_run run)
{
    char *text = memory_format("%s", run.count ? "" : "none");
    for (unsigned i = 0; i < run.count; i++) {
        const struct form_ports *ports = ARRAY_AT(struct form_ports, &machine->form_ports, run.first + i);
        char *names = port_names(machine, ports->ports), times[32] = "";
        if (ports->times != 1)
            snprintf(times, sizeof times, "%.9g*", (double)ports->times);
        char *longer = memory_format("%s%s%s%s", text, i ? "+" : "", times, names);
        free(names);
        free(text);
        text = longer;
    }
    return text;
}

static const char *slot_text(const struct machine *machine, unsigned slot, char digits[8])
{
    switch (slot) {
    case slot_NONE:
        return "*";
    case slot_FLAGS:
        return "f";
    case slot_ADDRESS:
        return "addr";
    case slot_INDEX:
        return "index";
    case slot_MEMORY:
        return "mem";
    default:
        break;
    }
    if (slot >= slot_HIDDEN && slot - slot_HIDDEN < machine->hidden_count)
        return machine->hidden[slot - slot_HIDDEN];
    snprintf(digits, 8, "%u", slot & 255);
    return digits;
}

static void print_latencies(FILE *out, const struct machine *machine, const struct machine_form *form)
{
    for (unsigned i = 0; i < form->latencies.count; i++) {
        const struct form_latency *latency =
            ARRAY_AT(struct form_latency, &machine->form_latencies, form->latencies.first + i);
        char from[8], to[8];
        fprintf(out, "%s%s>%s=", i ? " " : "", slot_text(machine, latency->from, from),
                slot_text(machine, latency->to, to));
        if (isnan(latency->cycles))
            putc('-', out);
        else
            fprintf(out, "%g", (double)latency->cycles);
    }
}

static void print_ports(FILE *out, const char *before, const struct machine *machine, struct form_run run)
{
    char *ports = machine_ports_text(machine, run);
    fprintf(out, "%s%s", before, ports);
    free(ports);
}

/* What else there is to say, in the words of the file. */
static void print_rest(FILE *out, const struct machine *machine, const struct machine_form *form)
{
    if (form->is_missing)
        fputs(" missing", out);
    if (form->decoded != form->fused)
        fprintf(out, " decoded %u", form->decoded);
    if (form->microcoded)
        fprintf(out, " microcoded %u", form->microcoded);
    if (form->needs_complex_decoder)
        fputs(" complex", out);
    if (form->leaves_loop_buffer)
        fputs(" unlooped", out);
    if (form->has_indexed) {
        fprintf(out, " indexed %u", form->fused_indexed);
        print_ports(out, " indexed-ports ", machine, form->ports_indexed);
    }
    if (form->has_same) {
        fprintf(out, " same %u", form->fused_same);
        print_ports(out, " same-ports ", machine, form->ports_same);
    }
    if (!isnan(form->latency_same))
        fprintf(out, " same-latency %g", (double)form->latency_same);
    if (form->chained > 0)
        fprintf(out, " chained %g", (double)form->chained);
    if (form->breaks_on_same)
        fputs(" breaks", out);
    if (form->is_eliminated)
        fputs(" eliminated", out);
    if (form->divider > 0)
        fprintf(out, " divider %g", (double)form->divider);
    if (!isnan(form->throughput))
        fprintf(out, " throughput %g", (double)form->throughput);
    for (unsigned i = 0; i < form->fuses.count; i++)
        fprintf(out, "%s%s", i ? "," : " fuses ",
                *ARRAY_AT(const char *, &machine->form_words, form->fuses.first + i));
}

static char *words_of(const struct machine *machine, const struct machine_form *form,
                      void (*print)(FILE *, const struct machine *, const struct machine_form *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return memory_format("%s", "");
    print(stream, machine, form);
    fclose(stream);
    char *trimmed = memory_format("%s", text + (text[0] == ' '));
    free(text);
    return trimmed;
}

static const struct machine_form *form_at(const struct machine *machine, size_t i)
{
    return ARRAY_AT(struct machine_form, &machine->forms, i);
}

static bool is_shown(const struct machine_view *view, const struct machine_form *form)
{
    return !view->filter || view->filter(view->context, form->text);
}

static void print_forms(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    const struct machine *machine = view->machine;
    size_t widest = 4, ports_widest = 5, shown = 0;
    bool has_exceptions = false;
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = form_at(machine, i);
        if (!is_shown(view, form))
            continue;
        char *ports = machine_ports_text(machine, form->ports);
        size_t width = strlen(form->text), ports_width = strlen(ports);
        widest = width > widest && width <= 40 ? width : widest;
        ports_widest = ports_width > ports_widest && ports_width <= 30 ? ports_width : ports_widest;
        free(ports);
        shown++;
    }
    fprintf(out, "\n%zu of %zu forms of instructions\n", shown, machine->forms.count);
    if (!shown)
        return;
    fprintf(out, "%s%-*s  %6s  %-*s  latency%s\n", report_ink(style, ink_BOLD), (int)widest, "form",
            style->unicode ? " µops" : "uops", (int)ports_widest, "ports", report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = form_at(machine, i);
        if (!is_shown(view, form))
            continue;
        char *ports = machine_ports_text(machine, form->ports), uops[24], latency[24] = "?";
        char *exceptions = words_of(machine, form, print_latencies),
             *rest = words_of(machine, form, print_rest);
        snprintf(uops, sizeof uops, form->fused == form->unfused ? "%u" : "%u/%u", form->fused,
                 form->unfused);
        if (!isnan(form->latency))
            snprintf(latency, sizeof latency, "%g", (double)form->latency);
        fprintf(out, "%-*s  %5s  %-*s  %s%s%s%s%s\n", (int)widest, form->text, uops, (int)ports_widest, ports,
                latency, *exceptions ? " " : "", exceptions, *rest ? "  " : "", rest);
        has_exceptions = has_exceptions || *exceptions;
        free(rest);
        free(exceptions);
        free(ports);
    }
    if (has_exceptions)
        fprintf(out,
                "\n%s2>1=4: 4 cycles from operand 2 to operand 1; addr and index: from the registers of an "
                "address,\nmem: from what is in memory, f: flags, *: any, -: no dependence%s\n",
                report_ink(style, ink_DIM), report_ink(style, ink_PLAIN));
}

static const void *figure_at(const struct machine *machine, const struct figure *figure)
{
    return (const char *)&machine->core + figure->offset;
}

struct width {
    const char *name, *sentence;
    size_t offset; /* in struct machine: a double */
};

static const struct width widths[] = {
    {"width", "instructions", offsetof(struct machine, width)},
    {"floating", "floating-point operations", offsetof(struct machine, floating)},
    {"memory", "loads and stores", offsetof(struct machine, memory)},
    {"loads", "loads", offsetof(struct machine, loads)},
    {"stores", "stores", offsetof(struct machine, stores)},
    {"branches", "branches", offsetof(struct machine, branches)},
    {"taken", "branches that are taken", offsetof(struct machine, taken)},
    {"bundles", NULL, 0},
};

static double width_of(const struct machine *machine, const struct width *width)
{
    return width->sentence ? *(const double *)((const char *)machine + width->offset) : machine->bundles;
}

static void print_widths(const struct machine *machine, const struct report_style *style, FILE *out)
{
    fprintf(out, "\n%sin a cycle, at most%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (width_of(machine, &widths[i]) > 0)
            fprintf(out, "%8g  %s\n", width_of(machine, &widths[i]),
                    widths[i].sentence ? widths[i].sentence : widths[i].name);
}

/* Moves that renaming does: as many as there are. */
static bool is_unlimited(const struct figure *figure, const void *value)
{
    return (figure->offset == offsetof(struct machine_core, eliminates_general) ||
            figure->offset == offsetof(struct machine_core, eliminates_vector)) &&
           *(const unsigned *)value == 255;
}

static void print_core(const struct machine *machine, const struct report_style *style, FILE *out)
{
    fprintf(out, "\n%score%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *figure = &figures[i];
        const void *value = figure_at(machine, figure);
        char text[40] = "";
        if (figure->kind == FIGURE_COUNT && *(const unsigned *)value)
            snprintf(text, sizeof text, "%u", *(const unsigned *)value);
        if (is_unlimited(figure, value))
            snprintf(text, sizeof text, "any");
        if (figure->kind == FIGURE_REAL && *(const double *)value > 0)
            snprintf(text, sizeof text, "%g", *(const double *)value);
        if (figure->kind == FIGURE_FLAG && *(const bool *)value)
            snprintf(text, sizeof text, "yes");
        if (figure->kind == FIGURE_PORTS && *(const uint32_t *)value) {
            char *names = port_names(machine, *(const uint32_t *)value);
            snprintf(text, sizeof text, "%.39s", names);
            free(names);
        }
        if (text[0])
            fprintf(out, "%8s  %s\n", text, figure->sentence);
    }
    if (machine->port_count)
        fprintf(out, "%8u  execution ports:", machine->port_count);
    for (unsigned port = 0; port < machine->port_count; port++)
        fprintf(out, " %s", machine->ports[port]);
    fputs(machine->port_count ? "\n" : "", out);
    for (unsigned i = 0; i < machine->core.queue_count; i++) {
        char *names = port_names(machine, machine->core.queues[i].ports);
        fprintf(out, "%8u  µops that wait for %s\n", machine->core.queues[i].size, names);
        free(names);
    }
}

static void print_for_people(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    const struct machine *machine = view->machine;
    if (!view->without_core) {
        fprintf(out, "%s%s%s: %s, %s%s\n", report_ink(style, ink_BOLD), machine->name,
                report_ink(style, ink_PLAIN), machine->title, enumeration_word("isa", machine->isa),
                view->is_host ? "; this computer" : "");
        for (unsigned i = 0; i < MOST_MACHINE_NAMES && machine->names[i]; i++)
            fprintf(out, "%s%s", i ? ", " : "also: ", machine->names[i]);
        fputs(machine->names[0] ? "\n" : "", out);
        fprintf(out, "figures: %s\n", machine->figures);
        print_widths(machine, style, out);
        print_core(machine, style, out);
    }
    print_forms(view, style, out);
}

static void write_text(FILE *out, const char *text, bool is_json)
{
    if (is_json) {
        report_json_text(out, text, strlen(text));
        return;
    }
    bool needs_quotes = strpbrk(text, ",\"\r\n");
    fputs(needs_quotes ? "\"" : "", out);
    for (; *text; text++) {
        putc(*text, out);
        if (*text == '"')
            putc('"', out);
    }
    fputs(needs_quotes ? "\"" : "", out);
}

static void write_real(FILE *out, double value, bool is_json)
{
    if (isnan(value))
        fputs(is_json ? "null" : "", out);
    else
        fprintf(out, "%.7g", value);
}

/* A form as a json object, or as a row of csv with the same columns. */
static void write_form(const struct machine *machine, const struct machine_form *form, bool is_json,
                       FILE *out)
{
    char *ports = machine_ports_text(machine, form->ports);
    char *exceptions = words_of(machine, form, print_latencies), *rest = words_of(machine, form, print_rest);
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
    fputs(is_json ? "}" : "\r\n", out);
    free(rest);
    free(exceptions);
    free(ports);
}

static void write_json_core(const struct machine *machine, FILE *out)
{
    for (unsigned i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        fprintf(out, "\"%s\":", widths[i].name);
        write_real(out, width_of(machine, &widths[i]) > 0 ? width_of(machine, &widths[i]) : NAN, true);
        putc(',', out);
    }
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const struct figure *figure = &figures[i];
        const void *value = figure_at(machine, figure);
        fprintf(out, "%s\"%s\":", i ? "," : "", figure->name);
        if (figure->kind == FIGURE_FLAG) {
            fputs(*(const bool *)value ? "true" : "false", out);
        } else if (figure->kind == FIGURE_PORTS) {
            char *names = port_names(machine, *(const uint32_t *)value);
            report_json_text(out, names, strlen(names));
            free(names);
        } else {
            double number = figure->kind == FIGURE_COUNT ? *(const unsigned *)value : *(const double *)value;
            write_real(out, number > 0 ? number : NAN, true);
        }
    }
}

static void write_json(const struct machine_view *view, FILE *out)
{
    const struct machine *machine = view->machine;
    const char *const names[] = {"name", "title", "isa", "figures"};
    const char *const texts[] = {machine->name, machine->title, enumeration_word("isa", machine->isa),
                                 machine->figures};
    for (unsigned i = 0; i < 4; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "[{", names[i]);
        write_text(out, texts[i], true);
    }
    fprintf(out, ",\"is_host\":%s,\"ports\":[", view->is_host ? "true" : "false");
    for (unsigned port = 0; port < machine->port_count; port++) {
        fputs(port ? "," : "", out);
        write_text(out, machine->ports[port], true);
    }
    fputs("],\"core\":{", out);
    write_json_core(machine, out);
    fputs("},\"forms\":[", out);
    bool is_first = true;
    for (size_t i = 0; i < machine->forms.count; i++) {
        if (!is_shown(view, form_at(machine, i)))
            continue;
        fputs(is_first ? "\n " : ",\n ", out);
        is_first = false;
        write_form(machine, form_at(machine, i), true, out);
    }
    fputs("]}]\n", out);
}

void report_machine(const struct machine_view *view, const struct report_style *style, FILE *out)
{
    if (style->format == report_TABLE) {
        print_for_people(view, style, out);
    } else if (style->format == report_JSON) {
        write_json(view, out);
    } else {
        fputs("form,ports,exceptions,more,uops,executed,latency,divider,throughput\r\n", out);
        for (size_t i = 0; i < view->machine->forms.count; i++)
            if (is_shown(view, form_at(view->machine, i)))
                write_form(view->machine, form_at(view->machine, i), false, out);
    }
}

static void write_line(const struct machine_line *line, bool is_json, FILE *out)
{
    const struct machine *machine = line->machine;
    const char *const names[] = {"name", "title", "isa", "figures", "problem"};
    const char *const texts[] = {line->name, machine ? machine->title : NULL,
                                 machine ? enumeration_word("isa", machine->isa) : NULL,
                                 machine ? machine->figures : NULL, line->problem};
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
            is_json         ? line->is_host ? "true" : "false"
            : line->is_host ? "1"
                            : "0");
    write_real(out, machine ? (double)machine->forms.count : NAN, is_json);
    fputs(is_json ? "}" : "\r\n", out);
}

static void print_line(const struct machine_line *line, size_t names, size_t titles,
                       const struct report_style *style, FILE *out)
{
    const struct machine *machine = line->machine;
    if (!machine) {
        char *safe = text_safe(line->problem, strlen(line->problem));
        fprintf(out, "  %-*s  cannot be read: %s\n", (int)names, line->name, safe);
        free(safe);
        return;
    }
    size_t used = names + titles + strlen("      x86-64    10000  ");
    size_t room = !style->width ? SIZE_MAX : style->width > used + 12 ? style->width - used : 12;
    char *origin = text_cut(machine->figures, room, false, style->unicode);
    fprintf(out, "%s%-*s  %-*s  %-7s  %6zu  %s\n", line->is_host ? "* " : "  ", (int)names, line->name,
            (int)titles, machine->title, enumeration_word("isa", machine->isa), machine->forms.count, origin);
    free(origin);
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
        host = lines[i].is_host ? i : host;
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
    if (host < count)
        fprintf(out, "\n* this computer: %s (%s)\n", lines[host].name, lines[host].machine->title);
    else
        fputs("\nthis computer's processor is not among them\n", out);
}
