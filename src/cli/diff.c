/* assay diff: two builds of a program, function by function and loop by loop. */
#include "base/output.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/diff_builds.h"
#include "cli/diff_git.h"
#include "cli/machines.h"
#include "code/quality/quality.h"
#include "code/quality/weight.h"
#include "show/report/diff/diff.h"
#include "show/report/machine.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_ROWS = 10 };

static bool read_threshold(const struct invocation *invocation, double *threshold, struct error *error)
{
    const char *text = options_value(invocation, OPTION_THRESHOLD);
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 5;
    if (text && (end == text || (*end && !(end[0] == '%' && !end[1])) || !(percent >= 0) || percent > 1000))
        return error_set(error, NULL, "--threshold takes a percentage such as 5, not '%s'", text);
    *threshold = percent / 100;
    return true;
}

static bool print(const struct diff_view *view, struct session *session, struct error *error)
{
    if (options_has(session->invocation, OPTION_HTML))
        return report_diff_html(view, session->out, error);
    if (session->style.format == report_TABLE)
        report_diff_text(view, &session->style, session->out);
    else
        report_diff_rows(view, options_has(session->invocation, OPTION_FUNCTIONS), &session->style,
                         session->out);
    return true;
}

/* The machines in words, into the view; to be freed.  Whether they differ. */
static bool name_machines(const struct diff_builds *builds, const struct invocation *invocation,
                          struct diff_view *view, char *words[diff_BUILDS])
{
    const struct machine *machines[diff_BUILDS] = {0};
    bool is_host[diff_BUILDS] = {false};
    for (int side = 0; side < diff_BUILDS; side++)
        for (unsigned isa = 0; isa < isa_COUNT && !machines[side]; isa++) {
            machines[side] = builds->innermost[side].machines[isa];
            is_host[side] = builds->innermost[side].is_host[isa];
        }
    bool differ = machines[0] && machines[1] && strcmp(machines[0]->name, machines[1]->name) != 0;
    bool is_named = options_has(invocation, OPTION_MACHINE);
    bool is_old_named = is_named || options_has(invocation, OPTION_OLD_MACHINE);
    int first = machines[diff_OLD] ? diff_OLD : diff_NEW;
    words[diff_OLD] =
        machines[first] ? report_machine_words(machines[first], is_old_named, is_host[first]) : NULL;
    words[diff_NEW] = differ ? report_machine_words(machines[diff_NEW], is_named, is_host[diff_NEW]) : NULL;
    for (int side = 0; side < diff_BUILDS; side++)
        view->machines[side] = words[side];
    return differ;
}

/* 0: nothing got worse, 1: something did. */
static int compare(struct diff_builds *builds, struct session *session, struct diff_view *view,
                   const double *shares, const struct diff_git *git, struct error *error)
{
    struct difference difference = {.models = {builds->models[diff_OLD], builds->models[diff_NEW]},
                                    .threads = session_threads(session->invocation),
                                    .path_limit = QUALITY_PATHS};
    for (int side = 0; side < diff_BUILDS; side++)
        difference.sources[side] = (struct diff_sources){.trust = session->trust,
                                                         .built_in = git ? git->trees.place : NULL,
                                                         .is_in = git ? git->trees.roots[side] : NULL};
    if (!diff_builds_take_machines(builds, session, &difference, error))
        return 2;
    char *words[diff_BUILDS];
    difference.takes_same = name_machines(builds, session->invocation, view, words);
    view->is_sampled = shares || weight_is_sampled(builds->models[diff_OLD]);
    difference_match(&difference);
    difference_time(&difference, shares, view->is_whole);
    view->comparison = &difference.comparison;
    view->changes = &difference.changes;
    autofree uint8_t *chosen = diff_choose(view);
    difference_explain(&difference, chosen);
    progress_clear();
    int code = !print(view, session, error) ? 2 : diff_count(view, diff_SLOWER) > 0;
    difference_end(&difference);
    for (int side = 0; side < diff_BUILDS; side++)
        free(words[side]);
    return code;
}

static int tell(struct session *session, const char *const paths[diff_BUILDS],
                const char *const titles[diff_BUILDS], const struct diff_git *git, struct error *error)
{
    const struct invocation *invocation = session->invocation;
    struct diff_builds builds = {0};
    struct diff_view view = {.demangle = session->style.demangle,
                             .most = options_has(invocation, OPTION_ALL) ? SIZE_MAX : USUAL_ROWS,
                             .is_whole = options_has(invocation, OPTION_HTML) ||
                                         session->style.format != report_TABLE,
                             .paths = {titles[diff_OLD], titles[diff_NEW]}};
    autofree char *directory = git ? memory_format("%s/", git->trees.place) : NULL;
    autofree double *shares = NULL;
    int code = 2;
    view.directory = directory;
    if (read_threshold(invocation, &view.threshold, error) &&
        diff_builds_read(&builds, session, paths, error) &&
        diff_builds_read_run(&builds, session, options_value(invocation, OPTION_RUN), &shares, error))
        code = compare(&builds, session, &view, shares, git, error);
    diff_builds_free(&builds);
    return code;
}

static int tell_of_git(struct session *session, struct error *error)
{
    struct diff_git git;
    int code = 2;
    if (diff_git_build(&git, session->invocation, error))
        code = tell(session, (const char *const *)git.paths, (const char *const *)git.titles, &git, error);
    diff_git_end(&git);
    return code;
}

/* What can be refused is refused before anything is built or read. */
static bool is_sound(const struct invocation *invocation, struct error *error)
{
    double threshold;
    if (options_has(invocation, OPTION_HTML) &&
        (options_has(invocation, OPTION_JSON) || options_has(invocation, OPTION_CSV)))
        return error_set(error, NULL, "choose one of --html, --json and --csv");
    if (!options_has(invocation, OPTION_GIT) && invocation->operands.count != 2)
        return error_set(error, NULL, "takes OLD and NEW, or --git REV and a command after --");
    return read_threshold(invocation, &threshold, error) && machines_know_name(invocation, error);
}

int command_diff(const struct invocation *invocation, struct error *error)
{
    struct session session;
    bool is_git = options_has(invocation, OPTION_GIT);
    const char *const paths[] = {options_operand(invocation, 0), options_operand(invocation, 1)};
    const char *run = options_value(invocation, OPTION_RUN);
    if (!is_sound(invocation, error))
        return 2;
    for (int side = 0; side < diff_BUILDS && !is_git; side++)
        output_spare(paths[side]);
    if (run)
        output_spare(run);
    bool has_begun = session_begin(&session, invocation, error);
    if (has_begun && !options_has(invocation, OPTION_HTML))
        session_page(&session);
    int code = !has_begun ? 2
               : is_git   ? tell_of_git(&session, error)
                          : tell(&session, paths, paths, NULL, error);
    return session_end(&session, code, error);
}
