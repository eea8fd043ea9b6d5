/* Ports that were found, under the names of the nearest core.

   Mixes show which forms share ports, not what these are called.  Facts and forms that are assumed name the
   nearest core's ports, so each port that was found gets the name of one of these: the names under which the
   ports of forms are most alike.  Exchanging two names goes on while it helps.  Forms whose mixes the ports
   do not explain keep what is assumed. */
#include "gauge/file_parts.h"
#include "gauge/ports/ports.h"

#include <math.h>
#include <stdio.h>
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

static uint32_t found_ports(const struct gauge_port_form *form, const uint8_t *names)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < form->use_count; i++)
        for (unsigned port = 0; port < 32; port++)
            if (form->uses[i].ports >> port & 1)
                ports |= 1U << names[port];
    return ports;
}

/* How alike the ports of all forms are: for each, the common ones as a share of all. */
static double likeness(const struct gauge_ports *ports, const struct machine *nearest, const uint8_t *names)
{
    double sum = 0;
    for (size_t i = 0; i < ports->forms.count; i++) {
        const struct gauge_port_form *form = ARRAY_AT(struct gauge_port_form, &ports->forms, i);
        const struct machine_form *known = machine_form(nearest, form->form->text);
        uint32_t left = found_ports(form, names), right = known ? known_ports(nearest, known) : 0;
        if (left && right && form->use_count == 1)
            sum += (double)__builtin_popcount(left & right) / __builtin_popcount(left | right);
    }
    return sum;
}

bool gauge_name_ports(const struct gauge_ports *ports, const struct machine *nearest, uint8_t names[32])
{
    for (unsigned i = 0; i < 32; i++)
        names[i] = (uint8_t)i;
    if (ports->count > nearest->port_count)
        return false;
    double best = likeness(ports, nearest, names);
    for (bool is_better = true; is_better;) {
        is_better = false;
        for (unsigned a = 0; a < ports->count; a++)
            for (unsigned b = a + 1; b < nearest->port_count; b++) {
                uint8_t old = names[a];
                names[a] = names[b];
                names[b] = old;
                double now = likeness(ports, nearest, names);
                if (now > best + 1e-9) {
                    best = now;
                    is_better = true;
                } else {
                    names[b] = names[a];
                    names[a] = old;
                }
            }
    }
    return true;
}

struct gauge_found_ports gauge_ports_for(const struct gauge_evidence *evidence, const char *text)
{
    struct gauge_found_ports found = {.is_found = false};
    const struct gauge_port_form *form = evidence->ports ? gauge_ports_of(evidence->ports, text) : NULL;
    if (!form || form->use_count != 1 || !(form->error <= BELIEVED))
        return found;
    unsigned sum = 0;
    size_t used = 0;
    for (unsigned i = 0; i < form->use_count; i++) {
        const struct gauge_port_use *use = &form->uses[i];
        uint32_t ports = 0;
        for (unsigned port = 0; port < 32; port++)
            if (use->ports >> port & 1)
                ports |= 1U << evidence->port_names[port];
        sum += use->uops;
        used += (size_t)snprintf(found.ports + used, sizeof found.ports - used, i ? "+" : "");
        if (use->uops != 1)
            used += (size_t)snprintf(found.ports + used, sizeof found.ports - used, "%u*", use->uops);
        used += (size_t)snprintf(found.ports + used, sizeof found.ports - used, "p");
        for (unsigned port = 0; port < evidence->nearest->port_count && used + 8 < sizeof found.ports; port++)
            if (ports >> port & 1)
                used += (size_t)snprintf(found.ports + used, sizeof found.ports - used, "%s",
                                         evidence->nearest->ports[port]);
        if (used + 48 > sizeof found.ports)
            return found;
    }
    double issued = isnan(form->issued) ? sum : round(form->issued);
    found.uops = issued < 1 ? 1 : (unsigned)issued;
    found.divider = form->divider;
    found.is_found = true;
    return found;
}
