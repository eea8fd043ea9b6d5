/* Text as a machine file: an accepted machine must be complete, every form must be found by its text, and
 * writing and reading it again must give the same machine. */
#include "fuzz/harness.h"

#include "code/machine/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_run(const struct array *list, struct form_run run, const char *text)
{
    if (run.count && (size_t)run.first + run.count > list->count)
        harness_wrong("a range outside its list", text);
}

static void check_form(const struct machine *machine, const struct machine_form *form)
{
    bool is_unmasked;
    if (machine_form_nearest(machine, form->text, &is_unmasked) != form || is_unmasked)
        harness_wrong("a form that is not found by its text", form->text);
    check_run(&machine->form_ports, form->ports, form->text);
    check_run(&machine->form_ports, form->ports_indexed, form->text);
    check_run(&machine->form_ports, form->ports_same, form->text);
    check_run(&machine->form_latencies, form->latencies, form->text);
    check_run(&machine->form_words, form->fuses, form->text);
    for (unsigned slot = 0; slot < slot_HIDDEN + machine->hidden_count; slot++)
        if (form_latency(machine, form, slot, 1) < 0)
            harness_wrong("a latency below 0", form->text);
    form_fuses(machine, form, "je");
}

static char *written(const struct machine *machine)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        harness_wrong("no memory for", "a machine as a file");
    machine_write(machine, out);
    fclose(out);
    return text;
}

/* Written and read again it is the same machine; writing that gives the same file. */
static void check_written(const struct machine *machine)
{
    struct error error = {0};
    char *text = written(machine);
    struct machine *again = machine_parse("again", text, strlen(text), &error);
    if (!again)
        harness_wrong("a machine that cannot be read after writing", error.text);
    char *text_again = written(again);
    if (strcmp(text, text_again))
        harness_wrong("a machine that changes by writing and reading", text);
    machine_free(again);
    free(text_again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct machine *machine = machine_parse("machine", (const char *)data, size, &error);
    if (!machine) {
        if (!error.set || strncmp(error.text, "machine:", 8))
            harness_wrong("an error without its line", error.text);
        return 0;
    }
    if (!machine->name || !machine->title || !machine->figures || !(machine->width > 0))
        harness_wrong("an incomplete machine", "machine");
    for (size_t i = 0; i < machine->forms.count; i++)
        check_form(machine, ARRAY_AT(struct machine_form, &machine->forms, i));
    check_written(machine);
    machine_free(machine);
    return 0;
}
