/* What Slurm's tools print: whole lists, states with their reasons, and damaged texts, which are errors and
   never shorter lists. */
#include "plan/schedule/engine/slurm_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct array read_nodes(const char *text)
{
    struct array nodes;
    struct error error = {0};
    if (!slurm_read_nodes(text, &nodes, &error))
        fail_msg("%s", error.text);
    return nodes;
}

static void nodes_have_cores_memory_and_limits(void **state)
{
    (void)state;
    struct array nodes = read_nodes("n1|all*|up|mixed|8|2:2:2|64000|3/5/0/8|1-00:00:00|1:00:00|2.50|none\n"
                                    "n2|all*|up|idle|4|4:1:1|1|0/4/0/4|infinite|n/a|N/A|none\n"
                                    "n2|long|up|idle|4|4:1:1|1|0/4/0/4|30:00|n/a|0.00|none\n"
                                    "n3|long|up|idle|4|1:4:2|1|0/4/0/4|infinite|n/a|N/A|none\n");
    assert_int_equal(nodes.count, 3);
    const struct slurm_node *node = nodes.data;
    assert_string_equal(node->name, "n1");
    assert_int_equal(node->processors, 4);
    assert_int_equal(node->threads, 2);
    assert_int_equal(node->allocated, 3);
    assert_true(node->memory == 64000 * 1048576.0 && node->longest == 86400 && node->usual == 3600);
    assert_true(node->is_default && node->state == engine_host_UP && !node->why);
    assert_true(node->load == 2.5 && isnan(node[1].load));
    assert_true(isnan(node[1].memory) && isinf(node[1].longest) && isnan(node[1].usual));
    assert_int_equal(node[2].processors, 4); /* its threads are not counted */
    assert_int_equal(node[2].threads, 1);
    assert_false(node[2].is_default);
    slurm_nodes_free(&nodes);
    nodes = read_nodes("n2|long|up|idle|4|4:1:1|1|0/4/0/4|30:00|n/a|0.00|none\n"
                       "n2|all*|up|idle|4|4:1:1|1|0/4/0/4|infinite|n/a|N/A|none\n");
    assert_int_equal(nodes.count, 1);
    assert_true(isinf(((struct slurm_node *)nodes.data)->longest));
    slurm_nodes_free(&nodes);
}

static void states_have_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *up, *word, *reason;
        enum engine_host_state state;
        const char *why;
    } cases[] = {
        {"up", "idle", "none", engine_host_UP, NULL},
        {"up", "allocated+", "none", engine_host_UP, NULL},
        {"up", "idle~", "none", engine_host_UP, NULL},
        {"up", "mixed-", "none", engine_host_UP, NULL},
        {"up", "completing", "none", engine_host_UP, NULL},
        {"up", "idle*", "none", engine_host_DRAINED, "does not answer"},
        {"up", "down*", "Not responding", engine_host_DOWN, "down: Not responding"},
        {"up", "down", "none", engine_host_DOWN, "down"},
        {"up", "drained", "a | b", engine_host_DRAINED, "drained: a | b"},
        {"up", "draining@", "kernel", engine_host_DRAINED, "draining: kernel"},
        {"up", "fail", "disk", engine_host_DOWN, "failed: disk"},
        {"up", "maint", "none", engine_host_DRAINED, "in maintenance"},
        {"up", "idle$", "none", engine_host_DRAINED, "in maintenance"},
        {"up", "idle@", "none", engine_host_DRAINED, "about to restart"},
        {"drain", "idle", "none", engine_host_DRAINED, "in a partition that is not up"},
        {"up", "bewitched", "none", engine_host_DRAINED, "in a state that Assay does not know: bewitched"},
        {"up", "idle?", "none", engine_host_DRAINED, "in a state that Assay does not know: idle?"},
        {"up", "down", "\033[2J", engine_host_DOWN, "down: \\x1b[2J"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "n1|all*|%s|%s|4|4:1:1|1|0/4/0/4|infinite|n/a|0.10|%s\n", cases[i].up,
                 cases[i].word, cases[i].reason);
        struct array nodes = read_nodes(text);
        const struct slurm_node *node = nodes.data;
        assert_int_equal(node->state, cases[i].state);
        if (cases[i].why)
            assert_string_equal(node->why, cases[i].why);
        else
            assert_null(node->why);
        slurm_nodes_free(&nodes);
    }
}

static void damaged_nodes_are_errors(void **state)
{
    (void)state;
    static const char good[] = "n1|all*|up|mixed|8|2:2:2|64000|3/5/0/8|1-00:00:00|1:00:00|2.50|none";
    static const char *const bad[] = {
        "n[1-2]|all*|up|idle|8|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|0|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|-8|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|8K|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|8|2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|8|2:2:2|64G|3/5/0/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|8|2:2:2|64000|3/5/8|infinite|n/a|N/A|none",
        "n1|all*|up|idle|8|2:2:2|64000|3/5/0/8|soon|n/a|0.1|none",
        "n1|all*|up|idle|99999999999999999999|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "|all*|up|idle|8|2:2:2|64000|3/5/0/8|infinite|n/a|N/A|none",
        "slurm_load_partitions: Unable to contact slurm controller"};
    struct array nodes;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        assert_false(slurm_read_nodes(bad[i], &nodes, &error));
        assert_true(error.set);
    }
    for (size_t length = 1; length < strlen(good) - 5; length++) {
        struct error error = {0};
        char *text = memory_copy_text(good, length);
        assert_false(slurm_read_nodes(text, &nodes, &error));
        free(text);
    }
}

static void jobs_of_the_session_are_found(void **state)
{
    (void)state;
    char text[] = "12|RUNNING|3|n1|None|assay-x-1|assay n1:3 a_name\n"
                  "13|PENDING|1||Resources|other|job|\n"
                  "no line of ours\n"
                  "14+0|NODE_FAIL|1|n2|None|assay-x-2|(null)\n"
                  "15|BEWITCHED|1|n2|None|assay-x-3|\n"
                  "16|RUNNING|1|n2|None|mine|about assay-x\n";
    struct array jobs;
    struct error error = {0};
    assert_true(slurm_read_jobs(text, "assay-x-", &jobs, &error));
    assert_int_equal(jobs.count, 3);
    const struct slurm_job *job = jobs.data;
    assert_true(job[0].phase == slurm_phase_RUNNING && job[0].processors == 3);
    assert_string_equal(job[0].comment, "assay n1:3 a_name");
    assert_string_equal(job[1].number, "14+0");
    assert_true(job[1].phase == slurm_phase_REMOVED && job[2].phase == slurm_phase_OTHER);
    array_free(&jobs);
}

static void damaged_lines_about_our_jobs_are_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"12|RUNNING|3|n1|None assay-x-1",   "assay-x-1",
                                      "|RUNNING|3|n1|None|assay-x-1|",    "12|RUNNING||n1|None|assay-x-1|",
                                      "12|RUNNING|-3|n1|None|assay-x-1|", "x12|RUNNING|3|n1|None|assay-x-1|",
                                      "12|RUNNING|3|n1|assay-x-1"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        struct array jobs;
        char *text = memory_copy_text(bad[i], strlen(bad[i]));
        assert_false(slurm_read_jobs(text, "assay-x-", &jobs, &error));
        assert_true(error.set);
        free(text);
    }
}

static void numbers_and_times(void **state)
{
    (void)state;
    char number[32];
    double seconds;
    assert_true(slurm_read_number("123\n", number, sizeof number));
    assert_string_equal(number, "123");
    assert_true(slurm_read_number("123;cluster\n", number, sizeof number));
    static const char *const bad[] = {"", "\n", "12", "12 \n", "x12\n", "12\n13\n", "99999999999999999999\n"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(slurm_read_number(bad[i], number, sizeof number));
    assert_true(slurm_read_time("2-03:04:05", &seconds) && seconds == 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
    assert_true(slurm_read_time("1-12", &seconds) && seconds == 86400 + 12 * 3600);
    assert_true(slurm_read_time("10:30", &seconds) && seconds == 630);
    static const char *const no_times[] = {"", "30", "-5", "1:2:3:4", "1:x", "1-", "x-1", ":", "1:"};
    for (unsigned i = 0; i < sizeof no_times / sizeof *no_times; i++)
        assert_false(slurm_read_time(no_times[i], &seconds));
}

static void add_up(void *context, const char *host, size_t length, uint32_t count)
{
    *(unsigned *)context += count * (length == 2 && host[0] == 'n' ? 1 : 1000);
}

static void comments_come_back(void **state)
{
    (void)state;
    struct engine_place places[] = {{"n1", 2, 0}, {"n2", 3, 0}};
    struct engine_job job = {.name = "a |b\n\"c\"", .places = places, .place_count = 2};
    char *comment = slurm_comment(&job);
    assert_string_equal(comment, "assay n1:2,n2:3 a__b__c_");
    unsigned sum = 0;
    assert_true(slurm_read_comment(comment, add_up, &sum));
    assert_int_equal(sum, 5);
    free(comment);
    static const char *const bad[] = {
        "",           "(null)",      "assay ",        "assay n1",        "assay n1:",
        "assay n1:0", "assay n1:2,", "assay n1:2;n2", "assay n1:2,n2 x", "assay :2",
        "assays n1:2"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        sum = 0;
        assert_false(slurm_read_comment(bad[i], add_up, &sum));
        assert_int_equal(sum, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_have_cores_memory_and_limits),
        cmocka_unit_test(states_have_reasons),
        cmocka_unit_test(damaged_nodes_are_errors),
        cmocka_unit_test(jobs_of_the_session_are_found),
        cmocka_unit_test(damaged_lines_about_our_jobs_are_errors),
        cmocka_unit_test(numbers_and_times),
        cmocka_unit_test(comments_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
