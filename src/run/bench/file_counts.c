/* µops and ports of a form in a machine file, where counters tell them.

   Ports that were found from mixes, or those of the nearest core, stay if the counts agree with them: an
   event that counts several ports together says less than they do.  Where the counts agree with neither and
   can be read in one way, they win.  Otherwise only the number of µops is theirs. */
#include "run/bench/counts.h"
#include "run/bench/file_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The figure of a form that has counts: its throughput, with easy operands if there are several; NULL: none.
 */
static const struct bench_figure *counted_figure(const struct bench_form_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (bench_is_measured(&line->figures[i]) && line->figures[i].counted)
            return &line->figures[i];
    return NULL;
}

static unsigned known_uses(const struct machine *machine, const struct machine_form *known,
                           struct bench_port_use *uses)
{
    unsigned count = 0;
    for (unsigned i = 0; known && i < known->ports.count && count < MOST_PORT_USES; i++) {
        const struct form_ports *ports =
            ARRAY_AT(struct form_ports, &machine->form_ports, known->ports.first + i);
        uses[count++] = (struct bench_port_use){ports->ports, (unsigned)lroundf(ports->times)};
    }
    return count;
}

static bool agrees(const struct bench_counts *counts, const struct bench_port_use *uses, unsigned use_count,
                   double cycles)
{
    return use_count && bench_counts_misplaced(counts, uses, use_count, cycles) < BENCH_MISPLACED;
}

struct bench_counted_ports bench_counted_for(const struct bench_evidence *evidence,
                                             const struct bench_form_line *line,
                                             const struct machine_form *known)
{
    struct bench_counted_ports counted = {.has_ports = false};
    const struct bench_figure *figure = counted_figure(line);
    const struct machine *nearest = evidence->nearest;
    struct bench_counts counts;
    struct bench_port_use uses[MOST_PORT_USES];
    if (!figure)
        return counted;
    bench_counts_read(figure->counts, figure->counted, nearest, &counts);
    counted.uops = bench_counts_issued(&counts);
    if (!counts.is_whole || !counted.uops)
        return counted;
    unsigned count = bench_found_uses(evidence, line->form->text, uses);
    bool is_settled = agrees(&counts, uses, count, figure->cycles);
    if (!is_settled) {
        count = known_uses(nearest, known, uses);
        is_settled = agrees(&counts, uses, count, figure->cycles);
    }
    if (!is_settled)
        is_settled = bench_counts_ports(&counts, figure->cycles, uses, &count);
    counted.has_ports = is_settled && bench_uses_text(nearest, uses, count, counted.ports);
    return counted;
}

static int by_size(const void *a, const void *b)
{
    double x = ((const struct bench_port_difference *)a)->misplaced;
    double y = ((const struct bench_port_difference *)b)->misplaced;
    return (x < y) - (x > y);
}

size_t bench_compare_ports(const struct bench_evidence *evidence, struct array *differences)
{
    size_t compared = 0;
    for (size_t i = 0; i < evidence->figures->count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, evidence->figures, i);
        struct bench_port_use uses[MOST_PORT_USES];
        struct bench_counts counts;
        unsigned count;
        if (!figure->counted || !bench_is_measured(figure) || figure->planned->operands == operands_HARD ||
            !(count = bench_found_uses(evidence, figure->form->text, uses)))
            continue;
        bench_counts_read(figure->counts, figure->counted, evidence->nearest, &counts);
        if (!counts.is_whole)
            continue;
        compared++;
        double misplaced = bench_counts_misplaced(&counts, uses, count, figure->cycles);
        if (misplaced < BENCH_MISPLACED)
            continue;
        struct bench_port_difference *difference = array_add(differences);
        difference->form = figure->form;
        difference->misplaced = misplaced;
        bench_uses_text(evidence->nearest, uses, count, difference->found);
        difference->is_settled = bench_counts_ports(&counts, figure->cycles, uses, &count) &&
                                 bench_uses_text(evidence->nearest, uses, count, difference->counted);
        if (!difference->is_settled)
            bench_counts_text(evidence->nearest, &counts, difference->counted);
    }
    if (differences->count)
        qsort(differences->data, differences->count, sizeof(struct bench_port_difference), by_size);
    return compared;
}

uint32_t bench_counted_ports(const struct bench_figure *figure, const struct machine *machine)
{
    struct bench_counts counts;
    uint32_t ports = 0;
    bench_counts_read(figure->counts, figure->counted, machine, &counts);
    for (unsigned g = 0; counts.is_whole && g < counts.count; g++)
        ports |= counts.groups[g].uops >= BENCH_MISPLACED * counts.executed ? counts.groups[g].ports : 0;
    return ports;
}
