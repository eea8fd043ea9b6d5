/* Frames in memory without a file get files of their own, by process: one for what a dump has, and names for what a map
   has.  Whatever nobody knows is one file again for all processes. */
#include "base/memory_file.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "run/sample/jit/jit.h"
#include "run/sample/jit/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct settling {
    struct sample_recording *recording;
    const struct jit_wish *wish;
    uint32_t place;      /* of a file of the recording: code that a process made */
    uint32_t process;    /* its number */
    struct array wanted; /* of uint64_t: addresses of its frames, sorted */
};

/* ---- files ---- */

/* A file of this user or of root alone: the name of a map can be guessed by everybody. */
static FILE *open_own(const char *path)
{
    int descriptor = regular_file_open(path, NULL, NULL);
    struct stat facts;
    if (descriptor < 0)
        return NULL;
    bool is_own = !fstat(descriptor, &facts) && (facts.st_uid == geteuid() || !facts.st_uid);
    FILE *file = is_own ? fdopen(descriptor, "r") : NULL;
    if (!file)
        close(descriptor);
    return file;
}

/* In the folders of the wish by its name, then at its place. */
static FILE *find(const struct jit_wish *wish, const char *path)
{
    const char *folders[] = {wish->folder, wish->beside};
    FILE *file = NULL;
    for (unsigned i = 0; i < 2 && !file; i++) {
        autofree char *there = folders[i] ? memory_format("%s/%s", folders[i], path_name(path)) : NULL;
        file = there ? open_own(there) : NULL;
    }
    return file || wish->is_elsewhere ? file : open_own(path);
}

/* ---- frames ---- */

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void find_wanted(struct settling *settling)
{
    const struct array *frames = &settling->recording->frames;
    settling->wanted = ARRAY_OF(uint64_t);
    for (size_t i = 1; i < frames->count; i++)
        if (ARRAY_AT(struct sample_frame, frames, i)->file == settling->place)
            *(uint64_t *)array_push(&settling->wanted) = ARRAY_AT(struct sample_frame, frames, i)->address;
    if (settling->wanted.count)
        qsort(settling->wanted.data, settling->wanted.count, sizeof(uint64_t), by_number);
}

/* Frames, and ends of jumps, in these codes are places of another file. */
static void move_frames(const struct settling *settling, const struct jit_codes *codes, uint32_t to)
{
    struct array *frames = &settling->recording->frames, *returns = &settling->recording->returns;
    for (size_t i = 1; i < frames->count; i++) {
        struct sample_frame *frame = ARRAY_AT(struct sample_frame, frames, i);
        if (frame->file == settling->place && jit_codes_at(codes, frame->address))
            frame->file = to;
    }
    for (size_t i = 0; i < returns->count; i++) {
        struct sample_return *back = ARRAY_AT(struct sample_return, returns, i);
        if (back->file == settling->place && jit_codes_at(codes, back->address))
            back->file = to;
    }
}

static void add_names(struct sample_recording *recording, const struct jit_codes *codes, uint32_t file)
{
    for (size_t i = 0; i < codes->codes.count; i++) {
        const struct jit_code *code = ARRAY_AT(struct jit_code, &codes->codes, i);
        *(struct sample_made *)array_push(&recording->made) =
            (struct sample_made){.file = file,
                                 .address = code->address,
                                 .size = code->size,
                                 .name = memory_copy_text(code->name, strlen(code->name))};
        recording->reused += code->is_reused;
    }
}

/* A file of the recording for codes of a dump or a map. */
static void take(struct settling *settling, struct jit_codes *codes, const char *path)
{
    struct sample_recording *recording = settling->recording;
    struct error ignored = {0};
    jit_codes_settle(codes);
    recording->undumped += codes->was_cut;
    if (!codes->codes.count)
        return;
    uint32_t place = (uint32_t)recording->files.count;
    struct sample_file *file = array_add(&recording->files);
    *file = (struct sample_file){.path = memory_copy_text(path, strlen(path)), .kind = SAMPLE_FILE_GENERATED};
    if (codes->machine) {
        struct array image = jit_image_make(codes);
        struct memory_file *memory = memory_get(sizeof *memory);
        if (memory_file_make(memory, image.data, image.count, &ignored)) {
            file->found = memory_copy_text(memory->path, strlen(memory->path));
            file->image = memory;
        } else {
            free(memory);
        }
        array_free(&image);
    }
    move_frames(settling, codes, place);
    add_names(recording, codes, place);
}

static void take_dumps(struct settling *settling)
{
    struct sample_recording *recording = settling->recording;
    for (size_t i = 0; i < recording->dumps.count; i++) {
        const struct sample_dump *dump = ARRAY_AT(struct sample_dump, &recording->dumps, i);
        FILE *file = dump->process == settling->process ? find(settling->wish, dump->path) : NULL;
        if (!file) {
            recording->undumped += dump->process == settling->process;
            continue;
        }
        struct jit_codes codes;
        find_wanted(settling);
        jit_codes_begin(&codes, settling->wanted.data, settling->wanted.count);
        if (jit_dump_read(&codes, file))
            take(settling, &codes, dump->path);
        else
            recording->undumped++;
        jit_codes_free(&codes);
        array_free(&settling->wanted);
        fclose(file);
    }
}

static void take_map(struct settling *settling)
{
    autofree char *path = memory_format("/tmp/perf-%u.map", settling->process);
    struct jit_codes codes;
    FILE *file = find(settling->wish, path);
    if (!file)
        return;
    find_wanted(settling);
    jit_codes_begin(&codes, settling->wanted.data, settling->wanted.count);
    jit_map_read(&codes, file);
    take(settling, &codes, path);
    jit_codes_free(&codes);
    array_free(&settling->wanted);
    fclose(file);
}

/* ---- the rest ---- */

/* Files of several processes without a name are one, as to a reader: they have nothing to be told apart by. */
static void join_files(struct sample_recording *recording)
{
    struct array *files = &recording->files;
    autofree uint32_t *places = memory_get((files->count + 1) * sizeof *places);
    uint32_t first = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, files, i);
        bool is_nameless = file->kind == SAMPLE_FILE_GENERATED && !file->path;
        first = is_nameless && !first ? i : first;
        places[i] = is_nameless ? first : i;
    }
    for (size_t i = 1; i < recording->frames.count; i++) {
        struct sample_frame *frame = ARRAY_AT(struct sample_frame, &recording->frames, i);
        frame->file = places[frame->file];
    }
    for (size_t i = 0; i < recording->returns.count; i++) {
        struct sample_return *back = ARRAY_AT(struct sample_return, &recording->returns, i);
        back->file = places[back->file];
    }
}

static int by_place(const void *left, const void *right)
{
    const struct sample_made *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

void jit_settle(struct sample_recording *recording, const struct jit_wish *wish)
{
    size_t count = recording->files.count;
    for (uint32_t i = 1; i < count && wish; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, i);
        struct settling settling = {
            .recording = recording, .wish = wish, .place = i, .process = file->process};
        if (file->kind != SAMPLE_FILE_GENERATED || !file->process)
            continue;
        take_dumps(&settling);
        take_map(&settling);
    }
    if (recording->made.count)
        qsort(recording->made.data, recording->made.count, sizeof(struct sample_made), by_place);
    join_files(recording);
}

void jit_forget(struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->files.count; i++) {
        struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, i);
        if (file->image)
            memory_file_close(file->image);
        free(file->image);
        file->image = NULL;
    }
}

void jit_name_programs(struct model *model, const struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->files.count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, i);
        for (uint32_t id = 1; file->image && id < model->programs.count; id++) {
            const char *path = model_text(model, model_program(model, id)->path);
            if (path && !strcmp(path, file->found))
                model_program(model, id)->path = model_string(model, file->path);
        }
    }
}
