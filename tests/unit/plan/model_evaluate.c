/* The analytic evaluator: patterns that move all clocks at once take the same times as their sends and
   receives, on random grids, sizes, costs and networks; small models have the times that a person computes.
 */
#include "plan/modelling/evaluate/crowd.h"
#include "plan/modelling/language/language.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252u;

static double random_below(double most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 * most;
}

static int random_from(int least, int most)
{
    return least + (int)random_below(most - least + 1);
}

static struct network_region random_region(double most_bytes, bool may_rendezvous)
{
    bool is_rendezvous = may_rendezvous && random_below(1) < 0.5;
    return (struct network_region){.most_bytes = most_bytes,
                                   .latency = random_below(5e-6),
                                   .gap = random_below(1) < 0.3 ? random_below(8e-6) : 0,
                                   .gap_per_byte = random_below(1e-9),
                                   .overhead_send = random_below(4e-6),
                                   .overhead_receive = random_below(4e-6),
                                   .send_per_byte = random_below(1) < 0.5 ? random_below(1e-9) : 0,
                                   .receive_per_byte = random_below(1) < 0.5 ? random_below(1e-9) : 0,
                                   .handshake = is_rendezvous ? random_below(6e-6) : 0,
                                   .is_rendezvous = is_rendezvous};
}

static struct network random_network(bool may_rendezvous)
{
    struct network network = {.cores_per_chip = random_from(1, 4), .chips_per_node = random_from(1, 3)};
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        network.regions[i] = ARRAY_OF(struct network_region);
        *(struct network_region *)array_push(&network.regions[i]) = random_region(1024, may_rendezvous);
        *(struct network_region *)array_push(&network.regions[i]) = random_region(INFINITY, may_rendezvous);
    }
    network.speeds = ARRAY_OF(double);
    if (random_below(1) < 0.3)
        for (unsigned i = 0; i < 2; i++)
            *(double *)array_push(&network.speeds) = 0.5 + random_below(1);
    return network;
}

static struct language_model *model_of(const char *text)
{
    struct error error = {0};
    struct language_model *model = language_parse("test.model", text, strlen(text));
    if (!language_prepare(model, &error))
        fail_msg("%s\n%s", error.text, text);
    return model;
}

static double seconds_of(const struct language_model *model, const struct network *network, bool expands,
                         double kinds[evaluated_KINDS])
{
    struct error error = {0};
    struct evaluation evaluation;
    int32_t ranks;
    assert_true(language_ranks(model, &ranks, &error));
    if (!evaluate_crowd(model, ranks, network, expands, &evaluation, &error))
        fail_msg("%s", error.text);
    double seconds = evaluation.seconds, sum = 0, causes = 0;
    for (unsigned i = 0; i < evaluated_KINDS; i++) {
        kinds[i] = evaluation.kinds[i];
        sum += kinds[i];
    }
    for (size_t i = 0; i < evaluation.causes.count; i++)
        causes += ARRAY_AT(struct evaluated_cause, &evaluation.causes, i)->seconds;
    /* What the causes took is what the last rank took. */
    assert_true(fabs(sum - seconds) <= 1e-9 * seconds);
    assert_true(fabs(causes - seconds) <= 1e-9 * seconds);
    evaluation_free(&evaluation);
    return seconds;
}

static void compare(const char *statement, int ranks, const struct network *network)
{
    char *text = memory_format("application test { ranks %d; run { compute (rank * 7 %% 5) * %.3g us; %s "
                               "compute (rank * 3 %% 4) * 1 us; %s } }",
                               ranks, random_below(20), statement, statement);
    struct language_model *model = model_of(text);
    double whole[evaluated_KINDS], parts[evaluated_KINDS];
    double left = seconds_of(model, network, false, whole), right = seconds_of(model, network, true, parts);
    if (!(fabs(left - right) <= 1e-9 * right))
        fail_msg("%.17g by clocks, %.17g by messages:\n%s", left, right, text);
    for (unsigned i = 0; i < evaluated_KINDS; i++)
        if (!(fabs(whole[i] - parts[i]) <= 1e-9 * right))
            fail_msg("kind %u: %.17g by clocks, %.17g by messages:\n%s", i, whole[i], parts[i], text);
    language_free(model);
    free(text);
}

static void compare_many(const char *(*statement)(int columns, int rows, char *text, size_t size))
{
    for (unsigned i = 0; i < 300; i++) {
        char text[300];
        int columns = random_from(1, 6), rows = random_from(1, 6);
        struct network network = random_network(i % 2);
        compare(statement(columns, rows, text, sizeof text), columns * rows, &network);
        network_free(&network);
    }
}

static const char *wavefront(int columns, int rows, char *text, size_t size)
{
    snprintf(text, size,
             "wavefront from %d on (%d, %d) tiles %d before %.3g us compute %.3g us send %d bytes, %d bytes;",
             random_from(0, 3), columns, rows, random_from(1, random_below(1) < 0.3 ? 300 : 30),
             random_below(1) < 0.5 ? 0 : random_below(9), random_below(20), random_from(0, 3000),
             random_from(0, 3000));
    return text;
}

static const char *halo(int columns, int rows, char *text, size_t size)
{
    snprintf(text, size, "halo %d bytes, %d bytes on (%d, %d);", random_from(0, 3000), random_from(0, 3000),
             columns, rows);
    return text;
}

static const char *collective(int columns, int rows, char *text, size_t size)
{
    int bytes = random_from(0, 3000), root = random_from(0, columns * rows - 1);
    switch (random_from(0, 4)) {
    case 0:
        snprintf(text, size, "barrier;");
        break;
    case 1:
        snprintf(text, size, "broadcast %d bytes from %d;", bytes, root);
        break;
    case 2:
        snprintf(text, size, "reduce %d bytes to %d;", bytes, root);
        break;
    case 3:
        snprintf(text, size, "allreduce %d bytes;", bytes);
        break;
    default:
        snprintf(text, size, "alltoall %d bytes;", bytes);
    }
    return text;
}

static void test_wavefront(void **unused)
{
    (void)unused;
    compare_many(wavefront);
}

static void test_halo(void **unused)
{
    (void)unused;
    compare_many(halo);
}

static void test_collectives(void **unused)
{
    (void)unused;
    compare_many(collective);
}

/* o 2 us, L 5 us, G 1 ns: by hand. */
static struct network plain_network(double handshake)
{
    struct network network = {.cores_per_chip = 1, .chips_per_node = 1, .speeds = ARRAY_OF(double)};
    for (unsigned i = 0; i < network_DISTANCES; i++) {
        network.regions[i] = ARRAY_OF(struct network_region);
        *(struct network_region *)array_push(&network.regions[i]) =
            (struct network_region){.most_bytes = INFINITY,
                                    .latency = 5e-6,
                                    .gap_per_byte = 1e-9,
                                    .overhead_send = 2e-6,
                                    .overhead_receive = 2e-6,
                                    .handshake = handshake,
                                    .is_rendezvous = handshake > 0};
    }
    return network;
}

static void test_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *run;
        double handshake, microseconds;
    } cases[] = {
        /* 2 + 5 + 1 + 2 */
        {"if (rank == 0) send 1000 bytes to 1; else receive 1000 bytes from 0;", 0, 10},
        /* The receiver is late. */
        {"if (rank == 0) send 1000 bytes to 1; else { compute 20 us; receive 1000 bytes from 0; }", 0, 22},
        /* The sender waits for the late receiver: 20 + 4 + 1 + 5 + 2. */
        {"if (rank == 0) send 1000 bytes to 1; else { compute 20 us; receive 1000 bytes from 0; }", 4e-6, 32},
        /* Computing hides the transfer; only the receive's 2 us remain. */
        {"if (rank == 0) send 1000 bytes to 1; else { ireceive 1000 bytes from 0 as 3; compute 20 us; wait "
         "3; }",
         0, 22},
        /* Both at once by isend: 2, then max(2, 2 + 6) + 2. */
        {"isend 1000 bytes to 1 - rank as 0; receive 1000 bytes from 1 - rank; wait;", 0, 10},
        /* Tags choose: the second message is received first. */
        {"if (rank == 0) { send 0 bytes to 1 tag 1; compute 10 us; send 0 bytes to 1 tag 2; } "
         "else { receive 0 bytes from 0 tag 2; receive 0 bytes from 0 tag 1; }",
         0, 23},
        {"compute 3 us; if (probability 0.25) compute 8 us; else compute 4 us;", 0, 8},
        {"repeat (1000000) { compute 1 us; if (rank == 1) compute 2 us; }", 0, 3e6},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network network = plain_network(cases[i].handshake);
        char *text = memory_format("application test { ranks 2; run { %s } }", cases[i].run);
        struct language_model *model = model_of(text);
        double kinds[evaluated_KINDS], seconds = seconds_of(model, &network, false, kinds);
        if (fabs(seconds * 1e6 - cases[i].microseconds) > 1e-6 * cases[i].microseconds)
            fail_msg("%g us instead of %g: %s", seconds * 1e6, cases[i].microseconds, text);
        language_free(model);
        free(text);
        network_free(&network);
    }
}

static void test_what_cannot_end(void **unused)
{
    (void)unused;
    static const struct {
        const char *run, *says;
    } cases[] = {
        {"receive 8 bytes from 1 - rank;", "deadlock: 2 of 2 ranks wait for ever: rank 0 receives from rank "
                                           "1 (line 2); rank 1 receives from rank 0 (line 2)"},
        {"if (rank == 0) barrier;", "deadlock: 1 of 2 ranks"},
        {"if (rank == 0) send 8 bytes to 1;",
         "test.model:2: rank 0 sends to rank 1, which never receives it"},
        {"if (rank == 0) barrier; else allreduce 8 bytes;",
         "rank 1 is in an allreduce here, rank 0 in a barrier"},
        {"wait 7;", "rank 0 waits for request 7, which was not begun"},
        {"send 8 bytes to 2;", "the other rank must be a whole number from 0 to 1, not 2"},
        {"halo 8 bytes on (3, 2);", "a grid of 3 × 2 ranks, but there are 2"},
        {"if (probability 0.5) barrier;", "depend on chance"},
        {"read 8 bytes;", "[disc]"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network network = plain_network(0);
        char *text = memory_format("application test { ranks 2; run {\n%s } }", cases[i].run);
        struct language_model *model = model_of(text);
        struct evaluation evaluation;
        struct error error = {0};
        assert_false(evaluate_analytic(model, 2, &network, &evaluation, &error));
        if (!strstr(error.text, cases[i].says))
            fail_msg("%s\ninstead of %s", error.text, cases[i].says);
        evaluation_free(&evaluation);
        language_free(model);
        free(text);
        network_free(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wavefront), cmocka_unit_test(test_halo),
                                       cmocka_unit_test(test_collectives), cmocka_unit_test(test_by_hand),
                                       cmocka_unit_test(test_what_cannot_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
