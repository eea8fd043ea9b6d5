/* Network files: read, written and refused; regions found again in points that were made from them. */
#include "plan/modelling/network/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char example[] =
    "name = example\n"
    "cores-per-chip = 2   chips-per-node = 2\n"
    "[on-chip copy]\nup-to = 1K   L = 0   o = 2us   G = 0.8ns\n"
    "[on-chip dma]\nL = 0   o-send = 4us   o-receive = 2us   G = 0.1ns\n"
    "[off-node direct]\nup-to = 1024   L = 0.5us   o = 4us   O = 0.1ns   G = 0.4ns\n"
    "[off-node large]\nL = 0.5us   o = 4us   g = 5us   handshake = 3us\n"
    "[disc]\nlatency = 5ms   bandwidth = 100MB/s   shared = yes\n"
    "[noise]\nrate = 10   length = 50us   distribution = fixed\n"
    "[sharing]\nprocessors = 4   turn = 2us\n"
    "[nodes]\nspeeds = 1, 0.5\n";

static bool parse(const char *text, struct network *network, struct error *error)
{
    *error = (struct error){0};
    return network_parse("file", text, strlen(text), network, error);
}

static void check_example(const struct network *network)
{
    assert_int_equal(network_between(network, 0, 1), distance_CHIP);
    assert_int_equal(network_between(network, 1, 2), distance_NODE);
    assert_int_equal(network_between(network, 3, 4), distance_FAR);
    assert_true(network_speed(network, 3) == 1 && network_speed(network, 4) == 0.5 &&
                network_speed(network, 8) == 1);
    const struct network_region *direct = network_region(network, distance_FAR, 1024),
                                *large = network_region(network, distance_FAR, 1025);
    assert_false(direct->is_rendezvous);
    assert_true(large->is_rendezvous);
    assert_float_equal(network_left(direct, 1000, 1), 1 + 4e-6 + 1e-7, 1e-15);
    assert_float_equal(network_arrival(direct, 1000, 1), 1 + 0.5e-6 + 0.4e-6, 1e-15);
    assert_float_equal(network_receive_busy(direct, 1000), 4.1e-6, 1e-15);
    assert_float_equal(network_send_busy(large, 2000), 5e-6, 1e-15);
    assert_float_equal(network_agreed(large, 2000, 1, 0), 1 + 4e-6 + 3e-6, 1e-15);
    assert_float_equal(network_agreed(large, 2000, 1, 2), 2 + 3e-6, 1e-15);
    assert_float_equal(network_disc_seconds(network, 1e6), 5e-3 + 1e-2, 1e-12);
    assert_true(network->is_disc_shared && network->is_borrowed[distance_NODE]);
    assert_true(network_region(network, distance_NODE, 1)->latency > 0);
}

/* 16 ranks on 4 processors: four times as long, and two turns for whoever waits. */
static void check_sharing(const struct network *network)
{
    assert_int_equal(network->processors, 4);
    struct network alone = network_as_shared(network, 4), shared = network_as_shared(network, 16);
    check_example(&alone);
    const struct network_region *direct = network_region(&shared, distance_FAR, 1024),
                                *large = network_region(&shared, distance_FAR, 1025);
    assert_true(network_speed(&shared, 0) == 0.25 && network_speed(&shared, 4) == 0.125);
    assert_float_equal(network_receive_busy(direct, 1000), 4 * (4.1e-6 + 4e-6), 1e-15);
    assert_float_equal(network_send_busy(direct, 1000), 4 * 4.1e-6, 1e-15);
    assert_float_equal(network_agreed(large, 2000, 0, 0), 4 * 4e-6 + 4 * (3e-6 + 4e-6), 1e-15);
    assert_float_equal(network_arrival(large, 2000, 0), 0.5e-6, 1e-15);
    network_free(&alone);
    network_free(&shared);
}

static void reads_and_writes(void **state)
{
    (void)state;
    struct network network, again;
    struct error error;
    assert_true(parse(example, &network, &error));
    check_example(&network);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    network_write(&network, out);
    fclose(out);
    if (!parse(text, &again, &error))
        fail_msg("%s", error.text);
    check_example(&again);
    check_sharing(&network);
    check_sharing(&again);
    assert_string_equal(again.name, "example");
    network_free(&network);
    network_free(&again);
    free(text);
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"name = x\n", "file: says nothing of messages"},
        {"[off-node a]\nL = 3\n", "file:2:5: `L` takes a time with its unit"},
        {"[off-node a]\nL = -3us\n", "file:2:5: `L` takes a time"},
        {"[off-node a]\nL = 1e400us\n", "file:2:5: `L` takes a time"},
        {"[off-node a]\nup-to = 10\n", "file: the last region of [off-node] has an `up-to`"},
        {"[off-node a]\nL = 1us\n[off-node b]\nL = 1us\n", "file:3:1: the region above has no `up-to`"},
        {"[off-node a]\nup-to = 9\n[off-node b]\nup-to = 9\n", "file:3:1: regions of [off-node] must be in"},
        {"[off-node a]\nlatency = 1us\n", "file:2:1: "},
        {"cores-per-chip = 0\n[off-node a]\nL = 1us\n", "file:1:18: `cores-per-chip` takes a number from 1"},
        {"[off-node a]\nL = 1us\n[disc]\nbandwidth = 3\n", "file:4:13: `bandwidth` takes bytes a second"},
        {"[off-node a]\nL = 1us\n[nodes]\nspeeds = 1, 0\n", "file:4:10: `speeds` takes numbers above 0"},
        {"[off-node a]\nL = 1us\n[noise]\nrate = 1   length = 1us   distribution = x\n",
         "`distribution` takes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network network;
        struct error error;
        assert_false(parse(cases[i].text, &network, &error));
        if (!strstr(error.text, cases[i].message))
            fail_msg("case %zu: %s", i, error.text);
    }
}

static void add_point(char **text, double bytes, double round, double send, double receive, bool waits)
{
    char *longer = memory_format("%spoint\t%.0f\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%g\t%d\n", *text,
                                 bytes, round, round, round * 1.02, send, send, send, receive, receive,
                                 receive, send, send, send, waits);
    free(*text);
    *text = longer;
}

/* Two eager regions and a rendezvous, with a ripple of 1 %: found with their figures. */
/* A program that Ctrl-C ended: whole lines count, wherever the text ends. */
static void keeps_what_was_there(const char *text)
{
    size_t all = strlen(text), most = 0;
    for (size_t length = 0; length <= all; length += 7) {
        char *copy = memory_copy_text(text, length);
        struct network_measured measured;
        struct error error = {0};
        if (network_read_measured(copy, true, &measured, &error)) {
            const struct network_pair *pair = measured.pairs.data;
            struct network network;
            assert_true(measured.is_partial && pair->points.count >= 3 && pair->points.count >= most);
            most = pair->points.count;
            network_of_measured(&measured, "x", "y", &network);
            network_free(&network);
        } else {
            assert_true(error.set && !most);
        }
        network_measured_free(&measured);
        free(copy);
    }
    assert_true(most > 10);
}

static void finds_regions(void **state)
{
    (void)state;
    char *text = memory_format("a line of the launcher\nlayout\t1\nclock\t3e-8\nplace\t0\tnode1\t0\t0\n"
                               "place\t1\tnode1\t1\t0\nplace\t2\tnode2\t0\t0\npair\t2\t2\n");
    double ripple = 1;
    for (int step = 0; step < 36; step++) {
        double bytes = (double)((size_t)(2 + step % 2) << (step / 2 + 2));
        ripple = ripple > 1 ? 0.99 : 1.01;
        if (bytes <= 1024)
            add_point(&text, bytes, (10e-6 + 1e-9 * bytes) * ripple, 2e-6, 3e-6, false);
        else if (bytes <= 32768)
            add_point(&text, bytes, (20e-6 + 1e-9 * bytes) * ripple, 2e-6 + 0.1e-9 * bytes,
                      3e-6 + 0.2e-9 * bytes, false);
        else
            add_point(&text, bytes, (90e-6 + 0.8e-9 * bytes) * ripple, 70e-6 + 0.5e-9 * bytes, 1e-4, true);
    }
    keeps_what_was_there(text);
    char *whole = memory_format("%seager\t40000\nend\n", text);
    struct network_measured measured;
    struct error error = {0};
    if (!network_read_measured(whole, false, &measured, &error))
        fail_msg("%s", error.text);
    struct network network;
    network_of_measured(&measured, "x", "y", &network);
    const struct array *regions = &network.regions[distance_FAR];
    assert_int_equal(regions->count, 3);
    const struct network_region *region = regions->data;
    assert_float_equal(region[0].most_bytes, 1024, 0);
    assert_float_equal(region[1].most_bytes, 40000, 0);
    assert_float_equal(region[0].overhead_send, 2e-6, 1e-8);
    assert_float_equal(region[0].latency, 5e-6, 3e-7);
    assert_float_equal(region[1].send_per_byte, 1e-10, 1e-12);
    assert_float_equal(region[1].gap_per_byte, 0.7e-9, 5e-11);
    assert_true(region[2].is_rendezvous);
    assert_float_equal(region[2].overhead_send + region[2].handshake, 70e-6, 1e-6);
    assert_float_equal(region[2].send_per_byte + region[2].gap_per_byte, 0.8e-9, 2e-11);
    assert_int_equal(network.cores_per_chip, 2);
    assert_true(network.is_borrowed[distance_CHIP]);
    network_free(&network);
    network_measured_free(&measured);
    free(whole);
    free(text);
}

/* Four ranks on two processors: a hop of 2.2 us, of which 0.2 us are the message's own, is two turns. */
static void finds_turns(void **state)
{
    (void)state;
    char *text = memory_format("clock\t1e-8\nplace\t0\tx\t0\t0\nplace\t1\tx\t1\t0\nplace\t2\tx\t0\t0\n"
                               "place\t3\tx\t0\t0\npair\t1\t0\n");
    for (double bytes = 8; bytes < 1e6; bytes *= 2)
        add_point(&text, bytes, 0.2e-6, 0.1e-6, 0.1e-6, false);
    char *whole = memory_format("%sshared\t3\t2.2e-6\t2.3e-6\t2.4e-6\t1e-7\t1e-7\t1e-7\nend\n", text);
    struct network_measured measured;
    struct network network;
    struct error error = {0};
    if (!network_read_measured(whole, false, &measured, &error))
        fail_msg("%s", error.text);
    network_of_measured(&measured, "x", "y", &network);
    assert_int_equal(network.processors, 2);
    assert_int_equal(network.cores_per_chip, 2);
    assert_float_equal(network.turn, 2e-6 * 2 / 3, 1e-8);
    network_free(&network);
    network_measured_free(&measured);
    free(whole);
    free(text);
}

static void refuses_what_is_not_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "alone\n",
                                        "pair\t1\t7\nend\n",
                                        "pair\t1\t0\npoint\t1\t2\nend\n",
                                        "point\t1\nend\n",
                                        "place\t7\tx\t0\t0\nend\n",
                                        "pair\t1\t0\n",
                                        "shared\t1\t1\t1\t1\nend\n",
                                        "shared\t2\t1e-6\t1e-6\t1e-6\nend\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned partial = 0; partial < 2; partial++) {
            char *copy = memory_copy_text(texts[i], strlen(texts[i]));
            struct network_measured measured;
            struct error error = {0};
            assert_false(network_read_measured(copy, partial, &measured, &error));
            assert_true(error.set);
            network_measured_free(&measured);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_and_writes), cmocka_unit_test(refuses),
                                       cmocka_unit_test(finds_regions), cmocka_unit_test(finds_turns),
                                       cmocka_unit_test(refuses_what_is_not_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
