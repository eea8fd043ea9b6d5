#include "change/optimise/compile/record.h"

#include "base/child.h"
#include "change/optimise/compile/compilation_parts.h"
#include "change/optimise/compile/relink.h"
#include "run/launch/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_RECORD = 64 << 20, OLDEST_VERSION = 4, NEWEST_VERSION = 30 };
static const char *const compilers[] = {"cc", "gcc", "g++", "c++", "clang", "clang++", "gfortran", "f95"};

/* --- the scripts --- */
/* One for a compiler that is there.  What it calls finds the compilers as if we were not there: ccache, as cc in a folder of
   PATH, looks for the next cc in PATH, and would find us, for ever; and what mpicc calls is not recorded twice. */
static bool write_script(const char *folder, const char *name, struct error *error)
{
    autofree char *compiler = child_find_program(name), *path = memory_format("%s/bin/%s", folder, name);
    char *quoted = NULL, *records = NULL;
    if (!compiler)
        return true;
    relink_add_quoted(&quoted, compiler);
    relink_add_quoted(&records, folder);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    bool is_fine = out != NULL;
    if (out)
        fprintf(out,
                "#!/bin/sh\n"
                "printf '%%s\\0' \"$#\" \"$PWD\" '%s' \"$@\" >>%s/record.$$\n"
                "own=%s/bin all=:$PATH:\n"
                "case $all in *:\"$own\":*) all=${all%%%%:\"$own\":*}:${all#*:\"$own\":} ;; esac\n"
                "PATH=${all#:}\n"
                "PATH=${PATH%%:}\n"
                "export PATH\n"
                "exec %s \"$@\"\n",
                name, records, records, quoted);
    if (out && fclose(out))
        is_fine = false;
    free(quoted);
    free(records);
    return is_fine || error_set_errno(error, path, "cannot be written");
}

static bool write_scripts(const char *folder, struct error *error)
{
    autofree char *bin = memory_format("%s/bin", folder);
    bool is_fine = !mkdir(bin, 0700) || error_set_errno(error, bin, "cannot be created");
    for (unsigned i = 0; is_fine && i < sizeof compilers / sizeof *compilers; i++) {
        is_fine = write_script(folder, compilers[i], error);
        for (unsigned version = OLDEST_VERSION; is_fine && version <= NEWEST_VERSION; version++) {
            autofree char *name = memory_format("%s-%u", compilers[i], version);
            is_fine = write_script(folder, name, error);
        }
    }
    return is_fine;
}

/* --- what they wrote --- */
static void entry_free(struct record_entry *entry)
{
    for (size_t i = 0; i < entry->words.count; i++)
        free(*ARRAY_AT(char *, &entry->words, i));
    array_free(&entry->words);
    free(entry->folder);
    free(entry->source);
}

static void add_entry(struct record *record, const char *folder, const char *source,
                      const struct array *words)
{
    struct record_entry entry = {.folder = memory_format("%s", folder),
                                 .source = memory_format("%s", source),
                                 .words = ARRAY_OF(char *)};
    for (size_t i = 0; i < words->count; i++)
        *(char **)array_push(&entry.words) = memory_format("%s", *ARRAY_AT(const char *, words, i));
    for (size_t i = 0; i < record->entries.count; i++) {
        struct record_entry *known = ARRAY_AT(struct record_entry, &record->entries, i);
        if (!strcmp(known->folder, folder) && !strcmp(known->source, source)) {
            entry_free(known);
            *known = entry;
            return;
        }
    }
    *(struct record_entry *)array_push(&record->entries) = entry;
}

/* Its sources; the values of options such as -o are none, and what is only preprocessed is no compilation. */
static void add_call(struct record *record, const char *folder, const struct array *words)
{
    enum source_language language;
    for (size_t i = 1; i < words->count; i++) {
        const char *word = *ARRAY_AT(const char *, words, i);
        if (!strcmp(word, "-E") || !strcmp(word, "-M") || !strcmp(word, "-MM"))
            return;
    }
    for (size_t i = 1; i < words->count; i++) {
        const char *word = *ARRAY_AT(const char *, words, i), *before = *ARRAY_AT(const char *, words, i - 1);
        bool is_value = !strcmp(before, "-o") || !strcmp(before, "-include") || !strcmp(before, "-MF") ||
                        !strcmp(before, "-MT") || !strcmp(before, "-MQ");
        if (*word != '-' && !is_value && compilation_is_source(word, &language))
            add_entry(record, folder, word, words);
    }
}

/* Words up to zeros: how many arguments, the folder, the compiler, the arguments. */
static void read_calls(struct record *record, const char *text, size_t size)
{
    struct array words = ARRAY_OF(const char *);
    for (const char *at = text, *end = text + size; at < end;) {
        unsigned long count = strtoul(at, NULL, 10);
        const char *folder = NULL;
        words.count = 0;
        if (count > size) /* not what a script wrote */
            break;
        for (unsigned long i = 0; i < count + 3 && at < end; i++, at += strlen(at) + 1) {
            if (i == 1)
                folder = at;
            else if (i > 1)
                *(const char **)array_push(&words) = at;
        }
        if (folder && words.count == count + 1)
            add_call(record, folder, &words);
    }
    array_free(&words);
}

static void read_records(const struct launch_run *run, struct record *record)
{
    struct array paths = ARRAY_OF(char *);
    launch_run_list(run, "record.", "", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = *ARRAY_AT(char *, &paths, i);
        FILE *file = fopen(path, "re");
        struct stat facts;
        size_t most =
            file && !fstat(fileno(file), &facts) && facts.st_size < MOST_RECORD ? (size_t)facts.st_size : 0;
        char *text = memory_get(most + 1);
        size_t size = most ? fread(text, 1, most, file) : 0;
        if (file)
            fclose(file);
        read_calls(record, text, size);
        free(text);
        free(path);
    }
    array_free(&paths);
}

bool record_build(const char *const *words, struct record *record, struct error *error)
{
    static const char *const without[] = {"PATH", NULL};
    struct launch launch;
    struct launch_run run = {0};
    const char *path = getenv("PATH");
    *record = (struct record){.entries = ARRAY_OF(struct record_entry), .exit_status = -1};
    launch_init(&launch);
    bool is_fine = launch_run_begin(&run, error) && write_scripts(run.folder, error);
    if (is_fine) {
        launch.file = memory_format("%s", words[0]);
        launch_add_words(&launch, words);
        launch_inherit(&launch, without);
        launch_assign(&launch, memory_format("PATH=%s/bin:%s", run.folder, path ? path : "/usr/bin:/bin"));
        is_fine = launch_run(&launch, &run, error);
    }
    if (is_fine) {
        record->exit_status = run.end_signal ? -1 : run.exit_status;
        read_records(&run, record);
        is_fine = record->entries.count ||
                  error_set(error, words[0],
                            "started no compiler by its name: what is up to date is not compiled (make clean "
                            "comes first), and CMake writes compile_commands.json itself "
                            "(-DCMAKE_EXPORT_COMPILE_COMMANDS=ON), as Meson does");
    }
    launch_free(&launch);
    launch_run_forget(&run);
    if (!is_fine)
        record_free(record);
    return is_fine;
}

void record_free(struct record *record)
{
    for (size_t i = 0; i < record->entries.count; i++)
        entry_free(ARRAY_AT(struct record_entry, &record->entries, i));
    array_free(&record->entries);
}
