/* Ports that were found, under the names of the nearest core.

   Mixes show which forms share ports, not what these are called.  Facts and forms that are assumed name the
   nearest core's ports, so each port that was found gets the name of one of these: the names under which the
   ports of forms are most alike to those of the nearest core, or to counted ones.  Exchanging two names goes
   on while it helps.  Forms whose mixes the ports do not explain keep what is assumed. */
#include "run/bench/counts.h"
#include "run/bench/file_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean error of the mixes of a form, above which its ports are not believed. */
static const double BELIEVED = 0.1;

static uint32_t known_ports(const struct machine *machine, const struct machine_form *form)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < form->ports.count; i++)
        ports |= ARRAY_AT(struct form_ports, &machine->form_ports, form->ports.first + i)->ports;
    return ports;
}

static uint32_t found_ports(const struct bench_port_form *form, const uint8_t *names)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < form->use_count; i++)
        for (unsigned port = 0; port < 32; port++)
            if (form->uses[i].ports >> port & 1)
                ports |= 1U << names[port];
    return ports;
}

/* How alike the ports of all forms are to what is expected of them: for each, the common ones as a share of
 * all. */
static double likeness(const struct bench_ports *ports, const uint32_t *expected, const uint8_t *names)
{
    double sum = 0;
    for (size_t i = 0; i < ports->forms.count; i++) {
        const struct bench_port_form *form = ARRAY_AT(struct bench_port_form, &ports->forms, i);
        uint32_t left = found_ports(form, names), right = expected[i];
        if (left && right && form->use_count == 1)
            sum += (double)__builtin_popcount(left & right) / __builtin_popcount(left | right);
    }
    return sum;
}

/* Counted ports of each form that has mixes, else the nearest core's; to be freed. */
static uint32_t *expected_ports(const struct bench_ports *ports, const struct machine *nearest,
                                const struct array *figures)
{
    uint32_t *expected = memory_get((ports->forms.count + 1) * sizeof *expected);
    for (size_t i = 0; i < ports->forms.count; i++) {
        const struct bench_form *form = ARRAY_AT(struct bench_port_form, &ports->forms, i)->form;
        const struct machine_form *known = machine_form(nearest, form->text);
        expected[i] = 0;
        for (size_t f = 0; figures && f < figures->count && !expected[i]; f++) {
            const struct bench_figure *figure = ARRAY_AT(struct bench_figure, figures, f);
            if (figure->form == form && figure->counted)
                expected[i] = bench_counted_ports(figure, nearest);
        }
        if (!expected[i] && known)
            expected[i] = known_ports(nearest, known);
    }
    return expected;
}

bool bench_name_ports(const struct bench_ports *ports, const struct machine *nearest,
                      const struct array *figures, uint8_t names[32])
{
    for (unsigned i = 0; i < 32; i++)
        names[i] = (uint8_t)i;
    if (ports->count > nearest->port_count)
        return false;
    uint32_t *expected = expected_ports(ports, nearest, figures);
    double best = likeness(ports, expected, names);
    for (bool is_better = true; is_better;) {
        is_better = false;
        for (unsigned a = 0; a < ports->count; a++)
            for (unsigned b = a + 1; b < nearest->port_count; b++) {
                uint8_t old = names[a];
                names[a] = names[b];
                names[b] = old;
                double now = likeness(ports, expected, names);
                if (now > best + 1e-9) {
                    best = now;
                    is_better = true;
                } else {
                    names[b] = names[a];
                    names[a] = old;
                }
            }
    }
    free(expected);
    return true;
}

static const struct bench_port_form *believed_form(const struct bench_evidence *evidence, const char *text)
{
    const struct bench_port_form *form = evidence->ports ? bench_ports_of(evidence->ports, text) : NULL;
    return form && form->use_count == 1 && form->error <= BELIEVED ? form : NULL;
}

unsigned bench_found_uses(const struct bench_evidence *evidence, const char *text,
                          struct bench_port_use uses[MOST_PORT_USES])
{
    const struct bench_port_form *form = believed_form(evidence, text);
    for (unsigned i = 0; form && i < form->use_count; i++) {
        uses[i] = (struct bench_port_use){.uops = form->uses[i].uops};
        for (unsigned port = 0; port < 32; port++)
            if (form->uses[i].ports >> port & 1)
                uses[i].ports |= 1U << evidence->port_names[port];
    }
    return form ? form->use_count : 0;
}

/* Whether what was found is another way to say what mixes show, and not what the nearest core has: several
   µops in place of a divider that is held for as long; none of its ports, because too few forms of a kind
   were there to name them; or a part of its µops, because no mix was short of the ports of the others (the
   data of stores). */
static bool contradicts(const struct machine *nearest, const struct machine_form *known,
                        const struct bench_port_form *form, const struct bench_port_use *uses, unsigned count)
{
    uint32_t ports = 0, expected = known_ports(nearest, known);
    for (unsigned i = 0; i < count; i++)
        ports |= uses[i].ports;
    bool is_part = count < known->ports.count && !(ports & ~expected);
    return (known->divider > 0 && !(form->divider > 0)) || (expected && !(expected & ports)) || is_part;
}

struct bench_found_ports bench_ports_for(const struct bench_evidence *evidence, const char *text)
{
    struct bench_found_ports found = {.is_found = false};
    struct bench_port_use uses[MOST_PORT_USES];
    const struct bench_port_form *form = believed_form(evidence, text);
    unsigned sum = 0, count = bench_found_uses(evidence, text, uses);
    if (!form || !bench_uses_text(evidence->nearest, uses, count, found.ports))
        return found;
    const struct machine_form *known = machine_form(evidence->nearest, text);
    if (known && contradicts(evidence->nearest, known, form, uses, count))
        return found;
    for (unsigned i = 0; i < count; i++)
        sum += uses[i].uops;
    double issued = isnan(form->issued) ? sum : round(form->issued);
    found.uops = issued < 1 ? 1 : (unsigned)issued;
    found.divider = form->divider;
    found.is_found = true;
    return found;
}
