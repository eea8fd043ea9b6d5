/* assay model measure-network -- LAUNCHER…: a network file from a ping-pong. */
#include "base/interrupt.h"
#include "base/path.h"
#include "cli/model.h"
#include "cli/session.h"
#include "plan/modelling/network/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_MESSAGE = 1 << 20 };

static char *name_of(const struct invocation *invocation)
{
    char host[100] = "";
    const char *file = options_value(invocation, OPTION_OUTPUT);
    if (file && strcmp(file, "-"))
        return memory_copy_text(path_name(file), strlen(path_name(file)));
    gethostname(host, sizeof host - 1);
    return memory_copy_text(*host ? host : "measured", strlen(*host ? host : "measured"));
}

static char *describe(const struct network_measured *measured, const char *const *launcher, size_t count)
{
    struct array text = ARRAY_OF(char);
    const char begin[] = "measured by assay model measure-network --";
    memcpy(array_add_many(&text, sizeof begin - 1), begin, sizeof begin - 1);
    for (size_t i = 0; i < count; i++) {
        *(char *)array_add(&text) = ' ';
        memcpy(array_add_many(&text, strlen(launcher[i])), launcher[i], strlen(launcher[i]));
    }
    autofree char *places =
        memory_format(measured->is_partial ? " (%zu ranks); partial: stopped by Ctrl-C" : " (%zu ranks)",
                      measured->places.count);
    memcpy(array_add_many(&text, strlen(places) + 1), places, strlen(places) + 1);
    return text.data;
}

static void say_regions(const struct session *session, const struct network_measured *measured,
                        const struct network *network)
{
    for (size_t i = 0; i < measured->pairs.count; i++) {
        const struct network_pair *pair = ARRAY_AT(struct network_pair, &measured->pairs, i);
        const struct array *regions = &network->regions[pair->distance];
        double worst = 0;
        for (size_t k = 0; k < regions->count; k++) {
            double spread = ARRAY_AT(struct network_region, regions, k)->spread;
            worst = spread > worst ? spread : worst;
        }
        session_say(session, "%s (ranks 0 and %d): %zu sizes, %zu region%s%s",
                    network_distance_word(pair->distance), pair->partner, pair->points.count, regions->count,
                    regions->count == 1 ? "" : "s",
                    worst > 0.25 ? "; times are spread widely: is the computer busy, or has it too few "
                                   "processors for the ranks?"
                                 : "");
    }
}

int model_measure_network(const struct invocation *invocation, struct error *error)
{
    struct session session;
    if (invocation->before != 1 || invocation->operands.count < 2) {
        error_set(
            error, NULL,
            "measure-network takes the command that starts ranks: assay model measure-network -- mpirun "
            "-n 2");
        return 2;
    }
    const char *const *launcher = (const char *const *)invocation->operands.data + 1;
    size_t count = invocation->operands.count - 1;
    if (!session_begin(&session, invocation, error))
        return session_end(&session, 2, error);
    struct network_measured measured;
    session_say(&session, "compiling and running the ping-pong program; this takes a few seconds");
    interrupt_catch();
    bool is_fine = network_measure(launcher, count, LARGEST_MESSAGE, &measured, error),
         is_stopped = interrupt_came();
    interrupt_release();
    if (!is_fine) {
        network_measured_free(&measured);
        return session_end(&session, is_stopped ? MODEL_STOPPED : 2, error);
    }
    autofree char *name = name_of(invocation), *description = describe(&measured, launcher, count);
    struct network network;
    network_of_measured(&measured, name, description, &network);
    network_write(&network, session.out);
    network_write_points(&measured, &network, session.out);
    say_regions(&session, &measured, &network);
    if (network.processors)
        session_say(&session,
                    "%d processors for %zu ranks: a rank that shares one and looks in vain takes %.3g us; "
                    "predictions for more than %d ranks will count it",
                    network.processors, measured.places.count, network.turn * 1e6, network.processors);
    if (measured.is_partial)
        session_say(
            &session,
            "stopped by Ctrl-C: the file is partial; larger messages are taken to cost for each byte what "
            "the largest measured one did");
    int code = measured.is_partial ? MODEL_STOPPED : 0;
    network_free(&network);
    network_measured_free(&measured);
    return session_end(&session, code, error);
}
