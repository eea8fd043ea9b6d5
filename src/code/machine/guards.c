#include "code/machine/guards.h"

#include "code/machine/machine.h"
#include "code/machine/reading.h"
#include "code/machine/write.h"

#include <math.h>
#include <string.h>

static bool is_gather(const struct machine_form *form)
{
    return !strncmp(form->text, "vgather", strlen("vgather")) ||
           !strncmp(form->text, "vpgather", strlen("vpgather"));
}

/* Runs of latencies may be those of several forms. */
static void delay(struct machine *machine, struct machine_form *form, double later)
{
    struct form_run own = {(uint32_t)machine->form_latencies.count, form->latencies.count};
    for (uint32_t i = 0; i < own.count; i++) {
        struct form_latency latency =
            *ARRAY_AT(struct form_latency, &machine->form_latencies, form->latencies.first + i);
        latency.cycles += (float)later; /* NaN stays */
        *(struct form_latency *)array_push(&machine->form_latencies) = latency;
    }
    form->latencies = own;
    form->latency += (float)later;
}

bool machine_guard_gathers(struct machine *machine)
{
    const struct gather_guard *guard = &machine->gather_guard;
    if (!(guard->between > 0) || machine->guards_gathers)
        return machine->guards_gathers;
    for (size_t i = 0; i < machine->forms.count; i++) {
        struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        bool is_measured_here = isfinite(form->spread);
        if (form->is_missing || !is_gather(form) || is_measured_here)
            continue;
        delay(machine, form, guard->later);
        form->microcoded = form->microcoded ? form->microcoded : 1;
        form->throughput = (float)fmax(form->throughput, guard->between);
    }
    machine->guards_gathers = true;
    machine_name_variant(machine);
    return true;
}

bool guards_read(struct reading *reading)
{
    struct gather_guard *guard = &reading->machine->gather_guard;
    if (!reading_number(reading, reading->words[1], &guard->later) ||
        !reading_number(reading, reading->words[2], &guard->between))
        return false;
    if (!(guard->later > 0) || !(guard->between > 0))
        return reading_complain(reading, "cycles are above 0, not", reading->words[guard->later > 0 ? 2 : 1]);
    guard->source = reading_keep(reading, reading_text_from(reading, 3));
    return true;
}

bool guards_write(const struct machine *machine, FILE *out)
{
    const struct gather_guard *guard = &machine->gather_guard;
    if (!(guard->between > 0))
        return false;
    putc(' ', out);
    machine_write_number(guard->later, out);
    putc(' ', out);
    machine_write_number(guard->between, out);
    fprintf(out, " %s", guard->source);
    return true;
}
