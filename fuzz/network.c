/* Text as a network file, or as what the ping-pong program printed: refused with a reason, or a network whose
   every answer is a number of at least 0, and which reads the same when it is written. */
#include "fuzz/harness.h"

#include "plan/modelling/network/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_network(const struct network *network)
{
    for (int32_t other = 0; other < 40; other += 3)
        for (double bytes = 0; bytes < 1e9; bytes = bytes * 7 + 1) {
            const struct network_region *region =
                network_region(network, network_between(network, 0, other), bytes);
            double left =
                region->is_rendezvous ? network_agreed(region, bytes, 1, 2) : network_left(region, bytes, 1);
            double ended = network_arrival(region, bytes, left) + network_receive_busy(region, bytes);
            if (!(ended >= 1) || !isfinite(ended) || !(network_speed(network, other) > 0))
                harness_wrong("a message that ends before it begins", "");
        }
}

static void check_written(const struct network *network)
{
    char *text;
    size_t size;
    struct network again;
    struct error error = {0};
    FILE *out = open_memstream(&text, &size);
    network_write(network, out);
    fclose(out);
    if (!network_parse("/nowhere/again", text, size, &again, &error))
        harness_wrong("a network that was written, but is not read", error.text);
    network_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct network network;
    if (network_parse("/nowhere/file", (const char *)data, size, &network, &error)) {
        check_network(&network);
        check_written(&network);
        network_free(&network);
    } else if (!error.set || strncmp(error.text, "/nowhere/file", 13))
        harness_wrong("an error without its file", error.text);
    for (unsigned partial = 0; partial < 2; partial++) {
        struct network_measured measured;
        struct error other = {0};
        char *text = harness_text(data, size);
        if (network_read_measured(text, partial, &measured, &other)) {
            network_of_measured(&measured, "fuzz", "made by a fuzzer", &network);
            network_free(&network);
        } else if (!other.set)
            harness_wrong("measurements refused without an error", "");
        network_measured_free(&measured);
        free(text);
    }
    return 0;
}
