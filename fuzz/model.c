/* Text as a model: refused with file, line and column, or evaluated on a few ranks, where times must be
   numbers that add up, or the failure has a reason. */
#include "fuzz/harness.h"

#include "plan/modelling/evaluate.h"
#include "plan/modelling/language/language.h"
#include "plan/modelling/network.h"

#include <math.h>
#include <string.h>

static double message(void *context, enum language_message part, double bytes)
{
    (void)context;
    return ((double)part + 1) * 1e-6 + bytes * 1e-9;
}

static struct network small_network(void)
{
    struct network network = {.cores_per_chip = 2,
                              .chips_per_node = 2,
                              .has_disc = true,
                              .disc_seconds_per_byte = 1e-9,
                              .speeds = ARRAY_OF(double)};
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        network.regions[i] = ARRAY_OF(struct network_region);
        *(struct network_region *)array_push(&network.regions[i]) = (struct network_region){
            .most_bytes = 100, .latency = 1e-6, .overhead_send = 1e-6 * (i + 1), .overhead_receive = 2e-6};
        *(struct network_region *)array_push(&network.regions[i]) =
            (struct network_region){.most_bytes = INFINITY,
                                    .latency = 1e-6,
                                    .overhead_send = 1e-6,
                                    .gap_per_byte = 1e-9,
                                    .handshake = 3e-6,
                                    .is_rendezvous = true};
    }
    return network;
}

static void evaluate(struct language_model *model)
{
    enum { MOST_RANKS = 64 };
    struct error error = {0};
    struct evaluation evaluation = {0};
    struct network network = small_network();
    struct language_world world = {.message = message, .clock = 2e9};
    int32_t ranks = 0;
    language_use(model, &world);
    struct array parameters = language_parameters(model);
    array_free(&parameters);
    bool is_fine = language_ranks(model, &ranks, &error);
    if (is_fine && ranks <= MOST_RANKS && language_application(model)) {
        is_fine = evaluate_analytic(model, ranks, &network, &evaluation, &error);
        double sum = 0;
        for (unsigned i = 0; i < evaluated_KINDS; i++)
            sum += evaluation.kinds[i];
        if (is_fine && isfinite(evaluation.seconds) &&
            !(fabs(sum - evaluation.seconds) <= 1e-6 * evaluation.seconds))
            harness_wrong("causes that are not the time", "");
        evaluation_free(&evaluation);
    }
    if (!is_fine && (!error.set || !*error.text))
        harness_wrong("a failure without a reason", "");
    network_free(&network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct language_model *model = language_parse("/nowhere/file", (const char *)data, size);
    language_limit(model, 20000);
    if (language_prepare(model, &error))
        evaluate(model);
    else if (!error.set || strncmp(error.text, "/nowhere/file:", 14))
        harness_wrong("a mistake without its place", error.text);
    language_free(model);
    return 0;
}
