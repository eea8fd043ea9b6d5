/* µops and ports of a form in a machine file, where counters tell them.

   Ports that were found from mixes, or those of the nearest core, stay if the counts agree with them: an
   event that counts several ports together says less than they do.  Where the counts agree with neither and
   can be read in one way, they win.  Otherwise only the number of µops is theirs. */
#include "gauge/counts.h"
#include "gauge/file_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The figure of a form that has counts: its throughput, with easy operands if there are several; NULL: none.
 */
static const struct gauge_figure *counted_figure(const struct gauge_form_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (gauge_is_measured(&line->figures[i]) && line->figures[i].counted)
            return &line->figures[i];
    return NULL;
}

static unsigned known_uses(const struct machine *machine, const struct machine_form *known,
                           struct gauge_port_use *uses)
{
    unsigned count = 0;
    for (unsigned i = 0; known && i < known->ports.count && count < MOST_PORT_USES; i++) {
        const struct form_ports *ports =
            ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first + i);
        uses[count++] = (struct gauge_port_use){ports->ports, (unsigned)lroundf(ports->times)};
    }
    return count;
}

static bool agrees(const struct gauge_counts *counts, const struct gauge_port_use *uses, unsigned use_count,
                   double cycles)
{
    return use_count && gauge_counts_misplaced(counts, uses, use_count, cycles) < GAUGE_MISPLACED;
}

struct gauge_counted_ports gauge_counted_for(const struct gauge_evidence *evidence,
                                             const struct gauge_form_line *line,
                                             const struct machine_form *known)
{
    struct gauge_counted_ports counted = {.has_ports = false};
    const struct gauge_figure *figure = counted_figure(line);
    const struct machine *nearest = evidence->nearest;
    struct gauge_counts counts;
    struct gauge_port_use uses[MOST_PORT_USES];
    if (!figure)
        return counted;
    gauge_counts_read(figure->counts, figure->counted, nearest, &counts);
    counted.uops = gauge_counts_issued(&counts);
    if (!counts.is_whole || !counted.uops)
        return counted;
    unsigned count = gauge_found_uses(evidence, line->form->text, uses);
    bool is_settled = agrees(&counts, uses, count, figure->cycles);
    if (!is_settled) {
        count = known_uses(nearest, known, uses);
        is_settled = agrees(&counts, uses, count, figure->cycles);
    }
    if (!is_settled)
        is_settled = gauge_counts_ports(&counts, figure->cycles, uses, &count);
    counted.has_ports = is_settled && gauge_uses_text(nearest, uses, count, counted.ports);
    return counted;
}

static int by_size(const void *a, const void *b)
{
    double x = ((const struct gauge_port_difference *)a)->misplaced;
    double y = ((const struct gauge_port_difference *)b)->misplaced;
    return (x < y) - (x > y);
}

size_t gauge_compare_ports(const struct gauge_evidence *evidence, struct array *differences)
{
    size_t compared = 0;
    for (size_t i = 0; i < evidence->figures->count; i++) {
        const struct gauge_figure *figure = ARRAY_AT(struct gauge_figure, evidence->figures, i);
        struct gauge_port_use uses[MOST_PORT_USES];
        struct gauge_counts counts;
        unsigned count;
        if (!figure->counted || !gauge_is_measured(figure) || figure->planned->operands == operands_HARD ||
            !(count = gauge_found_uses(evidence, figure->form->text, uses)))
            continue;
        gauge_counts_read(figure->counts, figure->counted, evidence->nearest, &counts);
        if (!counts.is_whole)
            continue;
        compared++;
        double misplaced = gauge_counts_misplaced(&counts, uses, count, figure->cycles);
        if (misplaced < GAUGE_MISPLACED)
            continue;
        struct gauge_port_difference *difference = array_add(differences);
        difference->form = figure->form;
        difference->misplaced = misplaced;
        gauge_uses_text(evidence->nearest, uses, count, difference->found);
        difference->is_settled = gauge_counts_ports(&counts, figure->cycles, uses, &count) &&
                                 gauge_uses_text(evidence->nearest, uses, count, difference->counted);
        if (!difference->is_settled)
            gauge_counts_text(evidence->nearest, &counts, difference->counted);
    }
    if (differences->count)
        qsort(differences->data, differences->count, sizeof(struct gauge_port_difference), by_size);
    return compared;
}

uint32_t gauge_counted_ports(const struct gauge_figure *figure, const struct machine *machine)
{
    struct gauge_counts counts;
    uint32_t ports = 0;
    gauge_counts_read(figure->counts, figure->counted, machine, &counts);
    for (unsigned g = 0; counts.is_whole && g < counts.count; g++)
        ports |= counts.groups[g].uops >= GAUGE_MISPLACED * counts.executed ? counts.groups[g].ports : 0;
    return ports;
}
