/* Networks, written as network_read reads them: four digits of each figure, which is more than a ping-pong
   knows. */
#include "plan/modelling/network/measure.h"

#include <math.h>
#include <string.h>

static void write_time(FILE *out, const char *key, double seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
    unsigned unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && seconds < units[unit].seconds)
        unit++;
    if (seconds > 1e-15)
        fprintf(out, "   %s = %.4g%s", key, seconds / units[unit].seconds, units[unit].unit);
}

static void write_pair(FILE *out, const char *key, double send, double receive)
{
    char name[20];
    if (send == receive) {
        write_time(out, key, send);
        return;
    }
    snprintf(name, sizeof name, "%s-send", key);
    write_time(out, name, send);
    snprintf(name, sizeof name, "%s-receive", key);
    write_time(out, name, receive);
}

static void write_regions(const struct array *regions, const char *kind, FILE *out)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct network_region *region = ARRAY_AT(struct network_region, regions, i);
        fprintf(out, "\n[%s %zu]\n", kind, i + 1);
        if (!isinf(region->most_bytes))
            fprintf(out, "up-to = %.0f\n", region->most_bytes);
        if (region->latency > 0 || !region->is_rendezvous)
            fprintf(out, "L = %.4gus", region->latency * 1e6);
        else
            fputs("L = 0", out);
        write_pair(out, "o", region->overhead_send, region->overhead_receive);
        write_pair(out, "O", region->send_per_byte, region->receive_per_byte);
        write_time(out, "g", region->gap);
        write_time(out, "G", region->gap_per_byte);
        if (region->is_rendezvous)
            fprintf(out, "   handshake = %.4gus", region->handshake * 1e6);
        if (region->spread > 0)
            fprintf(out, "   spread = %.2g%%", region->spread * 100);
        fputc('\n', out);
    }
}

static void write_rest(const struct network *network, FILE *out)
{
    if (network->has_disc)
        fprintf(out, "\n[disc]\nlatency = %.4gms   bandwidth = %.4gMB/s   shared = %s\n",
                network->disc_latency * 1e3, 1e-6 / network->disc_seconds_per_byte,
                network->is_disc_shared ? "yes" : "no");
    if (network->noise_distribution)
        fprintf(out, "\n[noise]\nrate = %.4g   length = %.4gus   distribution = %s\n", network->noise_rate,
                network->noise_seconds * 1e6, network->noise_distribution);
    if (network->processors) {
        fprintf(out, "\n[sharing]\nprocessors = %d", network->processors);
        if (network->turn > 1e-15)
            write_time(out, "turn", network->turn);
        else
            fputs("   turn = 0s", out);
        fputc('\n', out);
    }
    if (network->speeds.count)
        fputs("\n[nodes]\nspeeds = ", out);
    for (size_t i = 0; i < network->speeds.count; i++)
        fprintf(out, "%s%.4g%s", i ? ", " : "", *ARRAY_AT(double, &network->speeds, i),
                i + 1 == network->speeds.count ? "\n" : "");
}

void network_write(const struct network *network, FILE *out)
{
    static const char *const kinds[network_DISTANCES] = {"on-chip", "on-node", "off-node"};
    fprintf(out, "name = %s\n", network->name);
    if (network->description)
        fprintf(out, "description = %s\n", network->description);
    fprintf(out, "cores-per-chip = %d   chips-per-node = %d\n", network->cores_per_chip,
            network->chips_per_node);
    if (network->platform)
        fprintf(out, "platform = %s\n", network->platform);
    for (unsigned i = 0; i < network_DISTANCES; i++)
        if (!network->is_borrowed[i])
            write_regions(&network->regions[i], kinds[i], out);
    write_rest(network, out);
}

static double predicted_of(const struct network_region *region, double bytes)
{
    double left =
        region->is_rendezvous ? network_agreed(region, bytes, 0, 0) : network_left(region, bytes, 0);
    return network_arrival(region, bytes, left) + network_receive_busy(region, bytes);
}

void network_write_points(const struct network_measured *measured, const struct network *network, FILE *out)
{
    for (size_t i = 0; i < measured->pairs.count; i++) {
        const struct network_pair *pair = ARRAY_AT(struct network_pair, &measured->pairs, i);
        fprintf(out, "\n# %s, ranks 0 and %d; half a round trip in us: quartiles, and by the regions above\n",
                network_distance_word(pair->distance), pair->partner);
        fprintf(out, "# %10s %10s %10s %10s %10s %10s\n", "bytes", "first", "median", "third", "regions",
                "send");
        for (size_t k = 0; k < pair->points.count; k++) {
            const struct network_point *point = ARRAY_AT(struct network_point, &pair->points, k);
            fprintf(out, "# %10.0f %10.3f %10.3f %10.3f %10.3f %10.3f\n", point->bytes,
                    point->round.first * 1e6, point->round.median * 1e6, point->round.third * 1e6,
                    predicted_of(network_region(network, pair->distance, point->bytes), point->bytes) * 1e6,
                    point->send.median * 1e6);
        }
    }
}
