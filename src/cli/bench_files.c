/* Files of assay bench: results that are kept, and the machine files of the user. */
#include "base/output.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "cli/bench.h"
#include "run/bench/machine_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef ASSAY_VERSION
#define ASSAY_VERSION "unknown"
#endif

enum { LARGEST_MACHINE = 16 << 20 };

/* XDG's folder of a kind, or the usual one below HOME; NULL: neither is set. */
static char *user_folder(const char *variable, const char *usual, const char *below)
{
    const char *folder = getenv(variable), *home = getenv("HOME");
    if (folder && folder[0] == '/')
        return memory_format("%s/%s", folder, below);
    return home && home[0] == '/' ? memory_format("%s/%s/%s", home, usual, below) : NULL;
}

static bool make_folders(const char *path, struct error *error)
{
    autofree char *copy = memory_format("%s/", path);
    bool done = true;
    for (char *slash = strchr(copy + 1, '/'); done && slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        done = mkdir(copy, 0777) == 0 || errno == EEXIST;
        if (!done)
            error_set_errno(error, copy, "cannot create the folder");
        *slash = '/';
    }
    return done;
}

char *bench_machine_folder(struct error *error)
{
    char *folder = user_folder("XDG_CONFIG_HOME", ".config", "assay/machines");
    if (!folder)
        error_set(error, NULL,
                  "there is no folder for machine files: HOME is not set (--output FILE names a file)");
    return folder;
}

/* Letters, digits, - and _, as in names of machines. */
static void make_name(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        bool is_letter = isalnum((unsigned char)*at);
        if (is_letter)
            *to++ = (char)tolower((unsigned char)*at);
        else if (to > name && to[-1] != '-')
            *to++ = '-';
    }
    while (to > name && to[-1] == '-')
        to--;
    *to = 0;
    if (strlen(name) > 50)
        name[50] = 0;
}

static char *identity_of(const struct bench_computer *computer)
{
    struct machine_identity identity = host_identify(&computer->facts);
    return identity.isa ? memory_format("%x-%x", identity.family, identity.model) : memory_format("unknown");
}

char *bench_name_of(const struct bench_computer *computer)
{
    autofree char *identity = identity_of(computer);
    char *name = *computer->processor ? memory_format("%s", computer->processor)
                                      : memory_format("processor-%s", identity);
    make_name(name);
    return name;
}

char *bench_cache_file(const struct bench_computer *computer, struct error *error)
{
    char *folder = user_folder("XDG_CACHE_HOME", ".cache", "assay/bench"), host[65] = "computer";
    if (!folder) {
        error_set(error, NULL, "HOME is not set");
        return NULL;
    }
    char *path = NULL;
    if (make_folders(folder, error)) {
        gethostname(host, sizeof host - 1);
        make_name(host);
        autofree char *identity = identity_of(computer);
        path = memory_format("%s/%s-%s-%s", folder, host, identity, ASSAY_VERSION);
    }
    free(folder);
    return path;
}

bool bench_may_write(const char *path, struct error *error)
{
    struct error ignored = {0};
    if (access(path, F_OK))
        return true;
    autofree char *text = regular_file_text(path, LARGEST_MACHINE, "a machine file", &ignored);
    bool is_ours = text && bench_file_is_ours(text);
    return is_ours || error_set(error, path,
                                "was not written by assay bench and is not replaced; choose another --name");
}

bool bench_write(const char *path, const char *text, struct error *error)
{
    autofree char *folder = path_folder(path);
    bool done = make_folders(folder, error);
    struct output *output = done ? output_open(path, error) : NULL;
    if (!output)
        return false;
    fputs(text, output_stream(output));
    return output_finish(output, error);
}
