/* Promises of the model are looked at, where a build does that. */
#include "model/expect.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Whether looking at the model ends the process. */
static bool is_refused(const struct model *model)
{
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        signal(SIGABRT, SIG_DFL);
        model_expect(model, "a test");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) != 0;
}

static void fill(struct model *model)
{
    model_init(model);
    for (int i = 0; i < 3; i++) {
        model_add(&model->functions);
        model_add(&model->blocks);
        *(struct loop *)model_add(&model->loops) = (struct loop){.function = (uint32_t)i + 1};
    }
    for (uint32_t i = 1; i <= 3; i++)
        for (uint32_t block = 1; block <= 3; block++)
            *(struct loop_block *)model_add(&model->loop_blocks) =
                (struct loop_block){.loop = i, .block = block};
}

static void what_is_broken_is_found(void **state)
{
    (void)state;
    struct model model;
    fill(&model);
    assert_false(is_refused(&model));
    model_loop(&model, 2)->function = 4; /* there are three */
    assert_int_equal(is_refused(&model), EXPECTATIONS);
    model_loop(&model, 2)->function = 2;
    model_loop_block(&model, 4)->loop = 1; /* after one of loop 2 */
    assert_int_equal(is_refused(&model), EXPECTATIONS);
    model_loop_block(&model, 4)->loop = 2;
    assert_false(is_refused(&model));
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_broken_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
