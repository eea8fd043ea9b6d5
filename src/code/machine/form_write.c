/* Forms in the words of machine files.

   forms.def has the words and their order.  Words that follow from the rest of a line are left out, as people
   do: forms_read.c adds them again. */
#include "code/machine/write.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void machine_write_number(double value, FILE *out)
{
    enum { MOST_DIGITS = 15 };
    char text[64];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*f", digits, value);
    while (strtod(text, NULL) != value && ++digits <= MOST_DIGITS);
    if (digits > MOST_DIGITS)
        snprintf(text, sizeof text, "%.17g", value);
    fputs(text, out);
}

/* The figures of forms have less precision. */
void machine_write_cycles(float value, FILE *out)
{
    enum { MOST_DIGITS = 8 };
    char text[64];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*f", digits, (double)value);
    while ((float)strtod(text, NULL) != value && ++digits <= MOST_DIGITS);
    fputs(text, out);
}

void machine_write_ports(const struct machine *machine, uint32_t ports, FILE *out)
{
    putc('p', out);
    for (unsigned port = 0; port < machine->port_count; port++)
        if (ports >> port & 1)
            fputs(machine->ports[port], out);
}

static const struct form_ports *ports_at(const struct machine *machine, struct form_run run, unsigned i)
{
    return ARRAY_AT(struct form_ports, &machine->form_ports, run.first + i);
}

void form_write_ports(const struct machine *machine, struct form_run run, FILE *out)
{
    if (!run.count)
        fputs("none", out);
    for (unsigned i = 0; i < run.count; i++) {
        const struct form_ports *ports = ports_at(machine, run, i);
        fputs(i ? "+" : "", out);
        if (ports->times != 1) {
            machine_write_cycles(ports->times, out);
            putc('*', out);
        }
        machine_write_ports(machine, ports->ports, out);
    }
}

static void write_slot(const struct machine *machine, unsigned slot, FILE *out)
{
    switch (slot) {
    case slot_NONE:
        putc('*', out);
        return;
    case slot_FLAGS:
        putc('f', out);
        return;
    case slot_ADDRESS:
        fputs("addr", out);
        return;
    case slot_INDEX:
        fputs("index", out);
        return;
    case slot_MEMORY:
        fputs("mem", out);
        return;
    default:
        break;
    }
    if (slot >= slot_HIDDEN && slot - slot_HIDDEN < machine->hidden_count)
        fputs(machine->hidden[slot - slot_HIDDEN], out);
    else
        fprintf(out, "%u", slot);
}

void form_write_exceptions(const struct machine *machine, const struct machine_form *form, FILE *out)
{
    for (unsigned i = 0; i < form->latencies.count; i++) {
        const struct form_latency *latency =
            ARRAY_AT(struct form_latency, &machine->form_latencies, form->latencies.first + i);
        fputs(i ? " " : "", out);
        write_slot(machine, latency->from, out);
        putc('>', out);
        write_slot(machine, latency->to, out);
        putc('=', out);
        if (isnan(latency->cycles))
            putc('-', out);
        else
            machine_write_cycles(latency->cycles, out);
    }
}

/* What each word's value is where it is left out, and whether it is. */
enum word_number {
#define WORD(symbol, word, kind, member, values, says) w_##symbol,
#include "code/machine/forms.def"
};

static bool has_run(const struct form_run *run, const struct form_run *usual)
{
    return run->count != usual->count || (run->count && run->first != usual->first);
}

/* Ports that were left out add up to the µops that are executed. */
static unsigned executed(const struct machine *machine, const struct machine_form *form)
{
    double sum = 0;
    for (unsigned i = 0; i < form->ports.count; i++)
        sum += (double)ports_at(machine, form->ports, i)->times;
    return (unsigned)(sum < UINT16_MAX - 1 ? sum + 0.5 : UINT16_MAX - 1);
}

static bool is_written(const struct machine *machine, const struct machine_form *form,
                       enum word_number number)
{
    unsigned simple = machine->core.decoders ? machine->core.decoders - 1 : ANY_NUMBER;
    switch (number) {
    case w_MISSING:
        return form->is_missing;
    case w_UOPS:
        return true;
    case w_DECODED:
        return form->decoded != form->fused;
    case w_MICROCODED:
        return form->microcoded;
    case w_COMPLEX:
        return form->needs_complex_decoder;
    case w_SIMPLE:
        return form->simple_decoders < simple;
    case w_UNLOOPED:
        return form->leaves_loop_buffer;
    case w_PORTS:
        return form->ports.count;
    case w_INDEXED:
        return form->has_indexed;
    case w_INDEXED_PORTS:
        return has_run(&form->ports_indexed, &form->ports);
    case w_SAME:
        return form->has_same;
    case w_SAME_PORTS:
        return has_run(&form->ports_same, &form->ports);
    case w_SAME_LATENCY:
        return !isnan(form->latency_same);
    case w_CHAINED:
        return form->chained > 0;
    case w_OWN_PIPE:
        return form->is_own_pipe;
    case w_DOMAIN:
        return form->domain;
    case w_LOAD_TURNS:
        return form->load_turns;
    case w_BREAKS:
        return form->breaks_on_same;
    case w_ELIMINATED:
        return form->is_eliminated;
    case w_DIVIDER:
        return form->divider > 0;
    case w_THROUGHPUT:
        return !isnan(form->throughput);
    case w_LATENCY:
        return !isnan(form->latency);
    case w_FUSES:
        return form->fuses.count;
    }
    return false;
}

static void write_UOPS(const struct machine *machine, const struct machine_form *form, const void *value,
                       FILE *out)
{
    (void)value;
    fprintf(out, form->unfused == executed(machine, form) ? " %u" : " %u/%u", form->fused, form->unfused);
}

static void write_COUNT(const struct machine *machine, const struct machine_form *form, const void *value,
                        FILE *out)
{
    (void)machine, (void)form;
    fprintf(out, " %u", *(const uint16_t *)value);
}

static void write_SMALL(const struct machine *machine, const struct machine_form *form, const void *value,
                        FILE *out)
{
    (void)machine, (void)form;
    fprintf(out, " %u", *(const uint8_t *)value);
}

static void write_CYCLES(const struct machine *machine, const struct machine_form *form, const void *value,
                         FILE *out)
{
    (void)machine, (void)form;
    putc(' ', out);
    machine_write_cycles(*(const float *)value, out);
}

static void write_FLAG(const struct machine *machine, const struct machine_form *form, const void *value,
                       FILE *out)
{
    (void)machine, (void)form, (void)value, (void)out;
}

static void write_PORTS(const struct machine *machine, const struct machine_form *form, const void *value,
                        FILE *out)
{
    (void)form;
    putc(' ', out);
    form_write_ports(machine, *(const struct form_run *)value, out);
}

static void write_FUSES(const struct machine *machine, const struct machine_form *form, const void *value,
                        FILE *out)
{
    (void)value;
    for (unsigned i = 0; i < form->fuses.count; i++)
        fprintf(out, "%c%s", i ? ',' : ' ',
                *ARRAY_AT(const char *, &machine->form_words, form->fuses.first + i));
}

void form_write_words(const struct machine *machine, const struct machine_form *form, bool columns, FILE *out)
{
    static const struct {
        const char *word;
        size_t offset;
        void (*write)(const struct machine *, const struct machine_form *, const void *, FILE *);
    } words[] = {
#define WORD(symbol, word, kind, member, values, says)                                                       \
    {word, offsetof(struct machine_form, member), write_##kind},
#include "code/machine/forms.def"
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        bool is_column = columns && (i == w_UOPS || i == w_PORTS || i == w_LATENCY);
        if (is_column || (form->is_missing && i != w_MISSING) ||
            !is_written(machine, form, (enum word_number)i))
            continue;
        fprintf(out, " %s", words[i].word);
        words[i].write(machine, form, (const char *)form + words[i].offset, out);
    }
}
