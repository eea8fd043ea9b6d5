/* Where records are: in a folder that the user names, at any depth; else where compilers put them, by the names
   that they make up from those of the source, of the object and of the program.

       gcc -c solve.c              solve.c.opt-record.json.gz     where the compiler ran, or the object is
       gcc -o heat solve.c         heat-solve.c.opt-record.json.gz        beside the program
       gcc -c solve.c -o solve.c.o solve.c.c.opt-record.json.gz           CMake, Meson: beside the object
       clang -c solve.c            solve.opt.yaml, solve.c.opt.yaml beside solve.c.o

   What nobody asked for must cost little and harm nobody: only folders that base/trust.h allows, only the
   units of loops in the report, only so many bytes, and nothing that is newer than the program, which another
   compilation wrote. */
#include "code/remarks/parts.h"

#include "base/path.h"
#include "base/progress.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_GUESSED_BYTES = 32 << 20, MOST_GUESSED_TEXT = 640 << 20 /* unpacked */, NEWER_BY = 2 /* s */ };

static bool is_record(const char *name)
{
    static const char *const ends[] = {".opt-record.json.gz", ".opt-record.json", ".opt.yaml", ".opt.ld.yaml",
                                       ".opt.yml"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && !strcmp(name + length - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

struct folder {
    char *path;
    unsigned depth;
};

struct walk {
    struct array folders; /* of struct folder: still to be read */
    struct array files;   /* of char * */
    size_t folder_count;
    bool is_cut; /* there are more than are looked at */
};

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Links are not followed: they may lead in circles. */
static void offer(struct walk *walk, const struct folder *folder, const char *name)
{
    struct stat facts;
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return;
    char *path = memory_format("%s/%s", folder->path, name);
    bool is_there = !lstat(path, &facts);
    bool is_file = is_there && S_ISREG(facts.st_mode) && is_record(name);
    bool is_folder = is_there && S_ISDIR(facts.st_mode);
    bool has_room = is_file ? walk->files.count < MOST_RECORDS
                            : folder->depth < MOST_FOLDERS_NESTED && walk->folder_count < MOST_FOLDERS;
    walk->is_cut |= (is_file || is_folder) && !has_room;
    if (is_file && has_room) {
        *(char **)array_push(&walk->files) = path;
    } else if (is_folder && has_room) {
        walk->folder_count++;
        *(struct folder *)array_push(&walk->folders) = (struct folder){path, folder->depth + 1};
    } else {
        free(path);
    }
}

static void list(struct walk *walk, const char *top)
{
    *(struct folder *)array_push(&walk->folders) = (struct folder){memory_copy_text(top, strlen(top)), 0};
    while (walk->folders.count) {
        struct folder folder = *ARRAY_AT(struct folder, &walk->folders, --walk->folders.count);
        DIR *directory = opendir(folder.path);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            offer(walk, &folder, entry->d_name);
        if (directory)
            closedir(directory);
        free(folder.path);
    }
    if (walk->files.count)
        qsort(walk->files.data, walk->files.count, sizeof(char *), compare_paths);
}

/* One damaged record among many is said, and the others are read. */
static bool read_folder(struct remarks *remarks, const char *path, struct error *error)
{
    struct walk walk = {.folders = ARRAY_OF(struct folder), .files = ARRAY_OF(char *)};
    struct error first = {0};
    size_t read = 0;
    list(&walk, path);
    size_t count = walk.files.count;
    for (size_t i = 0; i < count; i++) {
        struct error inner = {0};
        char *file = *ARRAY_AT(char *, &walk.files, i);
        progress_tell("reading records of the compiler", i, count);
        if (remarks_read_file(remarks, file, &inner))
            read++;
        else if (first.set)
            remarks_refuse(remarks, inner.text);
        else
            first = inner;
        free(file);
    }
    array_free(&walk.files);
    array_free(&walk.folders);
    if (walk.is_cut)
        remarks_refuse(remarks,
                       "there are more records or folders than Assay looks at (10,000, and 20,000 at most 32 "
                       "deep); some are left out (name a folder further down)");
    if (!count)
        return error_set(
            error, path,
            "no records of the compiler are here (*.opt-record.json.gz, *.opt.yaml); compile with "
            "-fsave-optimization-record");
    if (!read)
        *error = first;
    else if (first.set)
        remarks_refuse(remarks, first.text);
    return read > 0;
}

bool remarks_read(struct remarks *remarks, const char *path, struct error *error)
{
    struct stat facts;
    if (!stat(path, &facts) && S_ISDIR(facts.st_mode))
        return read_folder(remarks, path, error);
    return remarks_read_file(remarks, path, error);
}

/* A file on disk, whatever its names. */
struct known_file {
    dev_t device;
    ino_t number;
};

struct guessing {
    struct remarks *remarks;
    struct trust *trust;
    struct array seen; /* of struct known_file */
    struct stat program;
    bool has_program;
    uint64_t bytes;
    unsigned newer; /* records left out */
    bool is_full;
};

static bool is_new(struct guessing *guessing, const struct stat *facts)
{
    for (size_t i = 0; i < guessing->seen.count; i++) {
        const struct known_file *known = ARRAY_AT(struct known_file, &guessing->seen, i);
        if (known->device == facts->st_dev && known->number == facts->st_ino)
            return false;
    }
    *(struct known_file *)array_push(&guessing->seen) = (struct known_file){facts->st_dev, facts->st_ino};
    return true;
}

static void try_file(struct guessing *guessing, const char *path)
{
    struct stat facts;
    struct error error = {0};
    if (stat(path, &facts) || !S_ISREG(facts.st_mode) || !trust_allows_guess(guessing->trust, path) ||
        !is_new(guessing, &facts))
        return;
    if (guessing->has_program && facts.st_mtime > guessing->program.st_mtime + NEWER_BY) {
        guessing->newer++;
        return;
    }
    guessing->bytes += (uint64_t)facts.st_size;
    guessing->is_full |= guessing->bytes > MOST_GUESSED_BYTES || guessing->remarks->read >= MOST_GUESSED_TEXT;
    if (!guessing->is_full && !remarks_read_file(guessing->remarks, path, &error))
        remarks_refuse(guessing->remarks, error.text);
}

/* The name without its last ending. */
static int stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static void try_folder(struct guessing *guessing, const char *folder, const char *source, const char *program)
{
    const char *ending = strrchr(source, '.') ? strrchr(source, '.') : "";
    int stem = stem_length(source), own = stem_length(program);
    char *const names[] = {
        memory_format("%s/%s.opt-record.json.gz", folder, source),
        memory_format("%s/%s-%s.opt-record.json.gz", folder, program, source),
        memory_format("%s/%s%s.opt-record.json.gz", folder, source, ending),
        memory_format("%s/%.*s%s.opt-record.json.gz", folder, own, program, ending),
        memory_format("%s/%.*s.opt.yaml", folder, stem, source),
        memory_format("%s/%s.opt.yaml", folder, source),
        memory_format("%s/%.*s.opt.yaml", folder, own, program),
    };
    struct stat facts;
    bool is_there = !stat(folder, &facts) && S_ISDIR(facts.st_mode);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_there)
            try_file(guessing, names[i]);
        free(names[i]);
    }
}

static void try_unit(struct guessing *guessing, const char *program, const char *source,
                     const char *directory)
{
    const char *name = path_name(source), *own = path_name(program);
    char *beside = path_folder(program), *folder = path_folder(source);
    char *at = *folder == '/' ? memory_format("%s", folder) : memory_format("%s/%s", directory, folder);
    char *cmake = memory_format("%s/CMakeFiles/%s.dir", directory, own);
    char *meson = memory_format("%s/%s.p", directory, own);
    const char *const folders[] = {beside, directory, at, cmake, meson};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (*folders[i])
            try_folder(guessing, folders[i], name, own);
    free(meson);
    free(cmake);
    free(at);
    free(folder);
    free(beside);
}

static const char *text_or(const struct model *model, string_id id)
{
    const char *text = model_text(model, id);
    return text ? text : "";
}

void remarks_find(struct remarks *remarks, const struct model *model, const struct array *loops,
                  struct trust *trust)
{
    struct guessing guessing = {.remarks = remarks, .trust = trust, .seen = ARRAY_OF(struct known_file)};
    autofree bool *is_wanted = memory_get(model->units.count + 1);
    remarks->most = MOST_GUESSED_TEXT;
    for (size_t i = 0; i < loops->count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, loops, i);
        is_wanted[model_function(model, model_loop(model, loop)->function)->unit] = true;
    }
    for (uint32_t id = 1; id < model->units.count; id++) {
        const struct unit *unit = model_unit(model, id);
        const char *program = text_or(model, model_program(model, unit->program)->path);
        if (!is_wanted[id] || !*program || !*text_or(model, unit->name))
            continue;
        guessing.has_program = !stat(program, &guessing.program);
        try_unit(&guessing, program, text_or(model, unit->name), text_or(model, unit->directory));
    }
    if (guessing.newer)
        remarks_refuse(
            remarks, "records of the compiler are newer than the program, so another compilation wrote them; "
                     "they are left out (--remarks reads them)");
    if (guessing.is_full)
        remarks_refuse(
            remarks,
            "there are more than 32 MB of the compiler's records; some are left out (--remarks reads "
            "all of them)");
    array_free(&guessing.seen);
}
