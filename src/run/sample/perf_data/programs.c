#include "run/sample/perf_data/programs.h"

#include "base/path.h"
#include "run/places/unwind_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether it is a program with this build-id ("": any).  *is_there: it is a program at all. */
static bool is_it(const char *path, const char *build_id, bool *is_there)
{
    struct stat facts;
    char its_own[41] = "";
    if (stat(path, &facts) || !S_ISREG(facts.st_mode))
        return false;
    struct unwind_file *file = unwind_file_open(path, NULL);
    bool is_program = unwind_file_is_elf(file);
    if (is_program)
        unwind_file_build_id(file, its_own);
    unwind_file_close(file);
    *is_there |= is_program;
    return is_program && (!build_id[0] || !strcmp(its_own, build_id));
}

/* Takes the path; NULL if that is no such program. */
static char *tried(char *path, const char *build_id)
{
    bool is_there = false;
    if (path && is_it(path, build_id, &is_there))
        return path;
    free(path);
    return NULL;
}

static char *in_home(const char *rest)
{
    const char *home = getenv("HOME");
    return home && home[0] == '/' ? memory_format("%s/%s", home, rest) : NULL;
}

/* Folders with files named after build-ids, as debuggers and perf lay them out. */
static char *in_numbered(const char *folder, const char *build_id)
{
    static const char *const endings[] = {"", "/elf", ".debug"};
    char *found = NULL;
    for (size_t i = 0; folder && strlen(build_id) > 2 && !found && i < sizeof endings / sizeof *endings; i++)
        found = tried(memory_format("%s/.build-id/%.2s/%s%s", folder, build_id, build_id + 2, endings[i]),
                      build_id);
    return found;
}

static char *in_caches(const char *build_id)
{
    const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *user = getenv("XDG_CACHE_HOME");
    autofree char *perf = in_home(".debug"), *usual = in_home(".cache/debuginfod_client"),
                  *old = in_home(".debuginfod_client_cache"),
                  *own = user && user[0] == '/' ? memory_format("%s/debuginfod_client", user) : NULL;
    const char *folders[] = {cache, own, usual, old};
    char *found = in_numbered(perf, build_id);
    for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && folders[i][0] == '/')
            found = tried(memory_format("%s/%s/executable", folders[i], build_id), build_id);
    return found;
}

/* As in the root of the other computer, by build-id, or simply by name. */
static char *in_folder(const char *folder, const char *path, const char *build_id)
{
    char *found = folder && build_id[0] ? in_numbered(folder, build_id) : NULL;
    if (folder && !found)
        found = tried(memory_format("%s%s", folder, path), build_id);
    if (folder && !found)
        found = tried(memory_format("%s/%s", folder, path_name(path)), build_id);
    return found;
}

/* By the path alone. */
static bool may_be(const struct perf_data_programs *programs, const char *path)
{
    struct stat facts;
    if (!programs->is_from_here || stat(path, &facts))
        return false;
    const struct timespec *made = &facts.st_mtim, *then = &programs->changed;
    return !then->tv_sec || made->tv_sec < then->tv_sec ||
           (made->tv_sec == then->tv_sec && made->tv_nsec <= then->tv_nsec);
}

/* perf lists files that were deleted with the kernel's note behind their path. */
static const char *listed_id(const struct perf_data_programs *programs, const char *path, bool is_deleted)
{
    autofree char *noted = is_deleted ? memory_format("%s (deleted)", path) : NULL;
    return perf_data_header_build_id(programs->header, noted ? noted : path);
}

static struct code_finding find(void *context, const char *path, const char *build_id, bool is_deleted)
{
    const struct perf_data_programs *programs = context;
    const char *listed = build_id[0] ? build_id : listed_id(programs, path, is_deleted);
    struct code_finding finding = {0};
    bool is_there = false;
    if (listed)
        memcpy(finding.build_id, listed, strnlen(listed, sizeof finding.build_id - 1));
    const char *wanted = finding.build_id;
    if (!wanted[0]) {
        finding.path = in_folder(programs->folder, path, wanted);
        bool is_right =
            !finding.path && is_it(path, wanted, &is_there) && !is_deleted && may_be(programs, path);
        if (is_right)
            finding.path = memory_copy_text(path, strlen(path));
        finding.is_other = is_there;
        return finding;
    }
    if (is_it(path, wanted, &is_there))
        finding.path = memory_copy_text(path, strlen(path));
    if (!finding.path)
        finding.path = in_folder(programs->folder, path, wanted);
    if (!finding.path)
        finding.path = in_folder(programs->beside, path, wanted);
    if (!finding.path)
        finding.path = in_folder(programs->here, path, wanted);
    if (!finding.path)
        finding.path = in_caches(wanted);
    finding.is_other = is_there;
    return finding;
}

void perf_data_programs_begin(struct perf_data_programs *programs, const struct perf_data_header *header,
                              const char *path, const char *folder, const struct perf_data_bytes *bytes)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1))
        host[0] = 0;
    *programs = (struct perf_data_programs){.header = header,
                                            .folder = folder ? path_absolute(folder) : NULL,
                                            .here = path_absolute("."),
                                            .is_from_here = !header->host || !strcmp(header->host, host),
                                            .finder = {.find = find}};
    programs->finder.context = programs;
    if (strcmp(path, "-")) {
        autofree char *beside = path_folder(path);
        programs->beside = path_absolute(beside);
    }
    if (!bytes->is_stream)
        programs->changed = bytes->changed;
}

void perf_data_programs_end(struct perf_data_programs *programs)
{
    free(programs->folder);
    free(programs->beside);
    free(programs->here);
}
