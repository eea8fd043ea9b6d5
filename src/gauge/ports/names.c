/* Ports that were found have no names.  A file whose other forms come from a known core needs that core's:
   each port gets the name of the port that the same forms use there.  Forms of one µop on one group count; an
   assignment of names is better the more often a form has a port here and the named one there, and the less
   often it has only one of them. */
#include "gauge/ports/ports.h"

#include <string.h>

enum { MOST_NAMES = 32 };

struct agreement {
    int of[MOST_NAMES][MOST_NAMES]; /* found, known */
    unsigned found, known;
};

static void count_form(struct agreement *agreement, uint32_t found, uint32_t known)
{
    for (unsigned p = 0; p < agreement->found; p++)
        for (unsigned q = 0; q < agreement->known; q++) {
            bool here = found >> p & 1, there = known >> q & 1;
            agreement->of[p][q] += here && there ? 2 : here || there ? -1 : 0;
        }
}

static void count_forms(struct agreement *agreement, const struct gauge_ports *ports,
                        const struct machine *machine)
{
    for (size_t i = 0; i < ports->forms.count; i++) {
        const struct gauge_port_form *form = ARRAY_AT(struct gauge_port_form, &ports->forms, i);
        const struct machine_form *known = machine_form(machine, form->form->text);
        if (form->use_count != 1 || form->uses[0].uops != 1 || !known || known->is_missing ||
            known->ports.count != 1)
            continue;
        const struct form_ports *group =
            ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first);
        count_form(agreement, form->uses[0].ports, group->ports);
    }
}

/* Any first assignment, then exchanges of two names, used or not, as long as one helps. */
static void assign(const struct agreement *agreement, unsigned *name_of)
{
    unsigned all = agreement->found > agreement->known ? agreement->found : agreement->known;
    for (unsigned p = 0; p < all; p++)
        name_of[p] = p;
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned p = 0; p < all; p++)
            for (unsigned other = 0; other < p; other++) {
                unsigned x = name_of[p], y = name_of[other];
                int before = agreement->of[p][x] + agreement->of[other][y];
                int after = agreement->of[p][y] + agreement->of[other][x];
                if (after > before) {
                    name_of[p] = y;
                    name_of[other] = x;
                    moved = true;
                }
            }
    }
}

void gauge_ports_take_names(struct gauge_ports *ports, const struct machine *machine)
{
    struct agreement agreement = {.found = ports->count, .known = machine->port_count};
    unsigned name_of[MOST_NAMES];
    if (ports->count > machine->port_count || machine->port_count > MOST_NAMES)
        return;
    count_forms(&agreement, ports, machine);
    assign(&agreement, name_of);
    for (unsigned p = 0; p < ports->count; p++)
        ports->names[p] = machine->ports[name_of[p]][0];
}
