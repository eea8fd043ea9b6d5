#include "run/bench/counts.h"

#include "code/cost/core/port_balance.h"
#include "code/machine/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts this near a whole number of µops are one; fewer µops on a port are a stray. */
static const double WHOLE = 0.06, STRAY = 0.02;
/* Ports this near to what they can do are busy. */
static const double BUSY = 1.15;

static bool is_whole_number(double number)
{
    return round(number) >= 1 && fabs(number - round(number)) <= WHOLE;
}

/* The bits of `p23A`; 0: not ports, or not all of them are the machine's. */
static uint32_t ports_named(const struct machine *machine, const char *what)
{
    uint32_t ports = 0;
    if (*what != 'p')
        return 0;
    for (const char *at = what + 1; *at; at++) {
        unsigned port = 0;
        while (port < machine->port_count && (machine->ports[port][0] != *at || machine->ports[port][1]))
            port++;
        if (port == machine->port_count)
            return 0;
        ports |= 1U << port;
    }
    return ports;
}

void bench_counts_read(const struct bench_count *counts, unsigned counted, const struct machine *machine,
                       struct bench_counts *read)
{
    *read = (struct bench_counts){.issued = NAN, .is_whole = true};
    double retired = NAN, executed = NAN;
    uint32_t seen = 0;
    for (unsigned i = 0; i < counted; i++) {
        uint32_t ports = ports_named(machine, counts[i].what);
        if (!strcmp(counts[i].what, "issued"))
            read->issued = counts[i].count;
        else if (!strcmp(counts[i].what, "retired"))
            retired = counts[i].count;
        else if (!strcmp(counts[i].what, "executed"))
            executed = counts[i].count;
        if (!ports)
            continue;
        read->is_whole &= !(ports & seen);
        seen |= ports;
        read->executed += counts[i].count;
        read->groups[read->count++] = (struct bench_counted_group){ports, counts[i].count};
    }
    if (isnan(read->issued))
        read->issued = retired;
    uint32_t all = machine->port_count < 32 ? (1U << machine->port_count) - 1 : UINT32_MAX;
    read->is_whole &= seen && seen == all && !(fabs(executed - read->executed) > BENCH_MISPLACED);
}

unsigned bench_counts_issued(const struct bench_counts *counts)
{
    return is_whole_number(counts->issued) ? (unsigned)round(counts->issued) : 0;
}

/* The most µops that can be where they were counted and where the uses allow them: the least of all cuts. */
static double explained(const struct bench_counts *counts, const struct bench_port_use *uses,
                        unsigned use_count)
{
    double least = INFINITY;
    for (unsigned cut = 0; cut < 1U << use_count; cut++) {
        double sum = 0;
        uint32_t ports = 0;
        for (unsigned i = 0; i < use_count; i++) {
            ports |= cut >> i & 1 ? uses[i].ports : 0;
            sum += cut >> i & 1 ? 0 : uses[i].uops;
        }
        for (unsigned g = 0; g < counts->count; g++)
            sum += counts->groups[g].ports & ports ? counts->groups[g].uops : 0;
        least = fmin(least, sum);
    }
    return least;
}

/* µops that ports should have had which have none, although the others are busy. */
static double unseen(const struct bench_counts *counts, const struct bench_port_use *uses, unsigned use_count,
                     double cycles)
{
    uint32_t claimed = 0;
    unsigned seen = 0;
    double most = 0;
    for (unsigned i = 0; i < use_count; i++)
        claimed |= uses[i].ports;
    for (unsigned g = 0; g < counts->count; g++)
        if (counts->groups[g].uops >= STRAY)
            seen += (unsigned)__builtin_popcount(counts->groups[g].ports & claimed);
    if (!seen || !(cycles <= BUSY * counts->executed / seen))
        return 0;
    for (unsigned g = 0; g < counts->count; g++) {
        double share = 0;
        for (unsigned i = 0; i < use_count; i++)
            share += (double)uses[i].uops * __builtin_popcount(uses[i].ports & counts->groups[g].ports) /
                     __builtin_popcount(uses[i].ports);
        if (counts->groups[g].uops < STRAY)
            most = fmax(most, share);
    }
    return most;
}

double bench_counts_misplaced(const struct bench_counts *counts, const struct bench_port_use *uses,
                              unsigned use_count, double cycles)
{
    double claimed = 0;
    for (unsigned i = 0; i < use_count; i++)
        claimed += uses[i].uops;
    double elsewhere = fmax(claimed, counts->executed) - explained(counts, uses, use_count);
    double idle = unseen(counts, uses, use_count, cycles);
    double most = fmax(elsewhere, idle);
    return most < STRAY ? 0 : most;
}

/* Whether a set of groups (bits) has a whole number of µops, and none of its parts does. */
static bool is_least(const bool *is_whole, unsigned set)
{
    if (!is_whole[set])
        return false;
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (is_whole[part])
            return false;
    return true;
}

static int by_first_port(const void *a, const void *b)
{
    return __builtin_ctz(((const struct bench_port_use *)a)->ports) -
           __builtin_ctz(((const struct bench_port_use *)b)->ports);
}

/* Sets of groups with whole numbers of µops: an answer if they do not overlap.  Several groups that have more
   than one µop together may have them in several ways. */
static bool divide(const struct bench_counted_group *groups, unsigned count,
                   struct bench_port_use uses[MOST_PORT_USES], unsigned *use_count)
{
    static const unsigned MOST = 10;
    bool is_whole[1 << 10];
    unsigned taken = 0;
    *use_count = 0;
    if (count > MOST)
        return false;
    for (unsigned set = 1; set < 1U << count; set++) {
        double sum = 0;
        for (unsigned g = 0; g < count; g++)
            sum += set >> g & 1 ? groups[g].uops : 0;
        is_whole[set] = is_whole_number(sum);
    }
    for (unsigned set = 1; set < 1U << count; set++) {
        if (!is_least(is_whole, set))
            continue;
        struct bench_port_use use = {0};
        double sum = 0;
        for (unsigned g = 0; g < count; g++) {
            use.ports |= set >> g & 1 ? groups[g].ports : 0;
            sum += set >> g & 1 ? groups[g].uops : 0;
        }
        use.uops = (unsigned)round(sum);
        bool is_single = !(set & (set - 1));
        if (set & taken || (use.uops > 1 && !is_single) || *use_count == MOST_PORT_USES)
            return false;
        taken |= set;
        uses[(*use_count)++] = use;
    }
    qsort(uses, *use_count, sizeof *uses, by_first_port);
    return taken == (1U << count) - 1;
}

bool bench_counts_ports(const struct bench_counts *counts, double cycles,
                        struct bench_port_use uses[MOST_PORT_USES], unsigned *use_count)
{
    struct bench_counted_group seen[BENCH_EVENTS];
    struct port_group groups[MOST_PORT_USES];
    unsigned count = 0;
    uint32_t critical;
    bool has_joint = false;
    for (unsigned g = 0; g < counts->count; g++)
        if (counts->groups[g].uops >= STRAY) {
            seen[count++] = counts->groups[g];
            has_joint |= __builtin_popcount(counts->groups[g].ports) > 1;
        }
    if (!counts->is_whole || !count || !divide(seen, count, uses, use_count))
        return false;
    for (unsigned i = 0; i < *use_count; i++)
        groups[i] = (struct port_group){uses[i].ports, uses[i].uops};
    /* Where an event counts several ports, it may be that the form has one of them only. */
    double bound = ports_balance(groups, *use_count, &critical);
    return bound <= BUSY * cycles && (!has_joint || cycles <= BUSY * bound);
}

bool bench_uses_text(const struct machine *machine, const struct bench_port_use *uses, unsigned use_count,
                     char text[192])
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return false;
    for (unsigned i = 0; i < use_count; i++) {
        fputs(i ? "+" : "", out);
        if (uses[i].uops != 1)
            fprintf(out, "%u*", uses[i].uops);
        machine_write_ports(machine, uses[i].ports, out);
    }
    fclose(out);
    snprintf(text, 192, "%s", all);
    free(all);
    return size < 192;
}

void bench_counts_text(const struct machine *machine, const struct bench_counts *counts, char text[192])
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    *text = 0;
    if (!out)
        return;
    const char *between = "";
    for (unsigned g = 0; g < counts->count; g++) {
        if (counts->groups[g].uops < STRAY)
            continue;
        fprintf(out, "%s%.2f ", between, counts->groups[g].uops);
        machine_write_ports(machine, counts->groups[g].ports, out);
        between = ", ";
    }
    fclose(out);
    snprintf(text, 192, "%s", size ? all : "none");
    free(all);
}
