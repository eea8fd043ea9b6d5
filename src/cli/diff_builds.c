#include "cli/diff_builds.h"

#include "base/regular_file.h"
#include "code/quality/weight.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Smaller programs are read before a thread has begun. */
enum { LARGE = 1 << 22 };

static bool read_build(struct session *session, const char *path, struct model **model, struct error *error)
{
    bool done = session_read(session, &path, 1, difference_tables, error);
    *model = session->model;
    session->model = NULL;
    session_disconnect(session);
    return done;
}

/* Reading uses few parts of a session: what the command line says, and which files may be read. */
struct reading {
    struct session session;
    struct trust trust;
    const char *path;
    struct model *model;
    struct error error;
    bool is_done;
};

static void *read_apart(void *context)
{
    struct reading *reading = context;
    reading->is_done = read_build(&reading->session, reading->path, &reading->model, &reading->error);
    return NULL;
}

/* A program that no other process has to make first, as an assembler does of a listing. */
static bool is_large_program(const char *path)
{
    char magic[SELFMAG] = "";
    struct stat status;
    FILE *file =
        stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size < LARGE ? NULL : fopen(path, "rb");
    bool is_program =
        file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, ELFMAG, SELFMAG);
    if (file)
        fclose(file);
    return is_program;
}

/* The old build on another thread, the new one on this. */
static bool read_together(struct diff_builds *builds, struct session *session,
                          const char *const paths[diff_BUILDS], struct error *error)
{
    struct reading old = {.path = paths[diff_OLD],
                          .session = {.invocation = session->invocation,
                                      .trust = &old.trust,
                                      .is_quiet = session->is_quiet,
                                      .macros = session->macros,
                                      .folders = session->folders}};
    pthread_t thread;
    trust_begin(&old.trust, session->trust->is_all);
    bool is_apart = !pthread_create(&thread, NULL, read_apart, &old);
    if (!is_apart)
        read_apart(&old);
    bool done = read_build(session, paths[diff_NEW], &builds->models[diff_NEW], error);
    if (is_apart)
        pthread_join(thread, NULL);
    builds->models[diff_OLD] = old.model;
    trust_free(&old.trust);
    if (!old.is_done)
        *error = old.error;
    return done && old.is_done;
}

bool diff_builds_read(struct diff_builds *builds, struct session *session,
                      const char *const paths[diff_BUILDS], struct error *error)
{
    if (session_threads(session->invocation) != 1 && is_large_program(paths[diff_OLD]) &&
        is_large_program(paths[diff_NEW]))
        return read_together(builds, session, paths, error);
    for (int side = 0; side < diff_BUILDS; side++)
        if (!read_build(session, paths[side], &builds->models[side], error))
            return false;
    return true;
}

bool diff_builds_take_machines(struct diff_builds *builds, struct session *session,
                               struct difference *difference, struct error *error)
{
    for (int side = 0; side < diff_BUILDS; side++) {
        struct innermost *innermost = &builds->innermost[side];
        *innermost = (struct innermost){.session = session, .loops = ARRAY_OF(int64_t)};
        session->model = builds->models[side];
        if (side == diff_OLD)
            innermost->machine = options_value(session->invocation, OPTION_OLD_MACHINE);
        bool done = innermost_take_all(innermost, error);
        session->model = NULL;
        if (!done)
            return false;
        for (unsigned isa = 0; isa < isa_COUNT; isa++)
            difference->machines[side].of[isa] = innermost->machines[isa];
    }
    return true;
}

bool diff_builds_read_run(struct diff_builds *builds, struct session *session, const char *path,
                          double **shares, struct error *error)
{
    struct comparison comparison;
    if (!path)
        return true;
    if (!read_build(session, path, &builds->models[diff_RUN], error))
        return false;
    if (!weight_is_sampled(builds->models[diff_RUN]))
        return error_set(error, path, "has no samples: --run takes a database that assay run -o wrote");
    diff_begin(&comparison, builds->models[diff_RUN], builds->models[diff_OLD]);
    *shares = changes_shares_of_run(&comparison);
    diff_end(&comparison);
    return true;
}

void diff_builds_free(struct diff_builds *builds)
{
    for (int side = 0; side < diff_BUILDS; side++)
        innermost_free(&builds->innermost[side]);
    for (int file = 0; file < diff_FILES; file++) {
        if (builds->models[file])
            model_free(builds->models[file]);
        free(builds->models[file]);
    }
}
