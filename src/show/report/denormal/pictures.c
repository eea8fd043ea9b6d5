/* Maps, films and the graph of the story as files in a folder.

   NAME.png has reads red and writes blue in the whole run; NAME-loads.png and NAME-stores.png show them
   separately.

   NAME-phase-003.png is the same in one phase; NAME-film.png has all phases as a film, where there are
   several.

   NAME-from-SOURCE.png shows which elements got denormals computed from those of SOURCE. story.svg and
   story.dot are the graph of births, arrays and the values that flow between them.

   Where there are several runs, all names of a run start with run-2- and so on.  Names of arrays come from
   the program: only their letters, digits, points and underscores are kept, and none starts with a point. So
   no file can leave the folder, and text after a dash is always ours.  Two arrays of one name get numbers.  A
   file appears whole or not at all. */
#include "show/report/denormal/maps.h"

#include "base/output.h"
#include "show/report/common/drawing.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST_NAME = 80,
    FILM_MILLISECONDS = 6000, /* of a whole film; frames are shown for a time between these two */
    SHORTEST_FRAME = 80,
    LONGEST_FRAME = 600,
    MOST_FILM_PIXELS = 1 << 25 /* of all frames together; longer films skip phases evenly */
};

struct album {
    const struct denormal_view *view;
    const char *folder;
    char *prefix;       /* of the run; may be empty */
    struct array names; /* of char *: names of arrays that are taken, in this run */
    size_t count;       /* files written */
};

static char *safe_name(const char *name)
{
    char *safe = memory_get(LONGEST_NAME + 1), *to = safe;
    for (; *name && to < safe + LONGEST_NAME; name++) {
        bool is_kept = isascii((unsigned char)*name) &&
                       (isalnum((unsigned char)*name) || *name == '_' || (*name == '.' && to > safe));
        if (is_kept)
            *to++ = *name;
        else if (to > safe && to[-1] != '_')
            *to++ = '_';
    }
    while (to > safe && (to[-1] == '_' || to[-1] == '.'))
        *--to = 0;
    if (to == safe)
        strcpy(safe, "array");
    return safe;
}

static bool is_taken(const struct album *album, const char *name)
{
    for (size_t i = 0; i < album->names.count; i++)
        if (!strcasecmp(*ARRAY_AT(char *, &album->names, i), name))
            return true;
    return !strcasecmp(name, "story");
}

/* A name for the files of an array, which belongs to the album; safe is freed. */
static const char *take_name(struct album *album, char *safe)
{
    char *unique = memory_format("%s", safe);
    for (unsigned i = 2; is_taken(album, unique); i++) {
        free(unique);
        unique = memory_format("%s-%u", safe, i);
    }
    free(safe);
    sentences_say(&album->names, unique);
    return unique;
}

/* name is below the folder. */
static bool write_file(struct album *album, const char *name, const void *bytes, size_t size,
                       struct error *error)
{
    autofree char *path = memory_format("%s/%s%s", album->folder, album->prefix, name);
    struct output *output = output_open(path, error);
    if (output)
        fwrite(bytes, 1, size, output_stream(output));
    bool written = output && output_finish(output, error);
    album->count += written;
    return written;
}

static bool write_pictures(struct album *album, char *name, const struct picture *pictures, size_t count,
                           struct error *error)
{
    struct array bytes = ARRAY_OF(uint8_t);
    unsigned frame = FILM_MILLISECONDS / (unsigned)(count ? count : 1);
    frame = frame < SHORTEST_FRAME ? SHORTEST_FRAME : frame > LONGEST_FRAME ? LONGEST_FRAME : frame;
    bool done = png_encode(pictures, count, frame, &bytes, error) &&
                write_file(album, name, bytes.data, bytes.count, error);
    array_free(&bytes);
    free(name);
    return done;
}

static bool write_whole(struct album *album, const struct denormal_mapped *array, const char *name,
                        struct error *error)
{
    static const struct {
        enum denormal_ink ink;
        const char *end;
    } all[] = {{denormal_ink_BOTH, ""}, {denormal_ink_LOADS, "-loads"}, {denormal_ink_STORES, "-stores"}};
    bool done = true;
    for (size_t i = 0; done && i < sizeof all / sizeof *all; i++) {
        struct picture picture;
        done = denormal_draw_map(album->view, array, 0, all[i].ink, &picture, error) &&
               write_pictures(album, memory_format("%s%s.png", name, all[i].end), &picture, 1, error);
        picture_free(&picture);
    }
    return done;
}

static int64_t phase_position(const struct denormal_view *view, int64_t phase)
{
    int64_t position = phase;
    struct error error = {0};
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "phase_position"), phase, -1, &error);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        position = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return position;
}

static bool write_phases(struct album *album, const struct denormal_mapped *array, const char *name,
                         struct error *error)
{
    struct array film = ARRAY_OF(struct picture);
    bool done = true;
    size_t step = 1;
    for (size_t i = 0; done && array->phases.count > 1 && i < array->phases.count; i++) {
        int64_t phase = *ARRAY_AT(int64_t, &array->phases, i);
        struct picture picture;
        done = denormal_draw_map(album->view, array, phase, denormal_ink_BOTH, &picture, error) &&
               write_pictures(
                   album,
                   memory_format("%s-phase-%03lld.png", name, (long long)phase_position(album->view, phase)),
                   &picture, 1, error);
        size_t pixels = (size_t)picture.width * picture.height;
        if (!i)
            step = 1 + array->phases.count * pixels / MOST_FILM_PIXELS;
        if (done && i % step == 0)
            *(struct picture *)array_add(&film) = picture;
        else
            picture_free(&picture);
    }
    if (done && film.count > 1)
        done = write_pictures(album, memory_format("%s-film.png", name), film.data, film.count, error);
    for (size_t i = 0; i < film.count; i++)
        picture_free(ARRAY_AT(struct picture, &film, i));
    array_free(&film);
    return done;
}

static bool write_origins(struct album *album, const struct denormal_mapped *array, const char *name,
                          struct error *error)
{
    bool done = true;
    for (size_t i = 0; done && i < array->sources.count; i++) {
        const struct denormal_map_source *source = ARRAY_AT(struct denormal_map_source, &array->sources, i);
        struct picture picture;
        autofree char *from = safe_name(source->name);
        const char *unique = take_name(album, memory_format("%s-from-%s", name, from));
        done = denormal_draw_origins(album->view, array, source->id, &picture, error) &&
               write_pictures(album, memory_format("%s.png", unique), &picture, 1, error);
        picture_free(&picture);
    }
    return done;
}

static bool write_story(struct album *album, int64_t run, struct error *error)
{
    static const char *const formats[] = {"svg", "dot"};
    struct drawing *drawing = denormal_draw_story(album->view, run, error);
    bool done = drawing || !error->set;
    for (size_t i = 0; drawing && done && i < 2; i++) {
        char *text = NULL, name[16];
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        snprintf(name, sizeof name, "story.%s", formats[i]);
        done = drawing_write(drawing, formats[i], out, error);
        fclose(out);
        done = done && write_file(album, name, text, size, error);
        free(text);
    }
    drawing_free(drawing);
    return done;
}

static bool write_run(struct album *album, int64_t run, struct error *error)
{
    struct array arrays;
    bool done = denormal_find_mapped(album->view, run, 0, &arrays, error);
    album->names = ARRAY_OF(char *);
    for (size_t i = 0; done && i < arrays.count; i++) {
        const struct denormal_mapped *array = ARRAY_AT(struct denormal_mapped, &arrays, i);
        const char *name = take_name(album, safe_name(array->name));
        done = write_whole(album, array, name, error) && write_phases(album, array, name, error) &&
               write_origins(album, array, name, error);
    }
    sentences_free(&album->names);
    denormal_free_mapped(&arrays);
    return done && write_story(album, run, error);
}

bool report_denormal_pictures(const struct denormal_view *view, const char *folder, size_t *count,
                              struct error *error)
{
    struct array runs = {0};
    struct album album = {.view = view, .folder = folder};
    *count = 0;
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    if (done && mkdir(folder, 0777) && errno != EEXIST)
        done = error_set_errno(error, folder, "cannot create the folder");
    for (size_t i = 0; done && i < runs.count; i++) {
        int64_t run = ARRAY_AT(struct shown_run, &runs, i)->id;
        album.prefix = runs.count > 1 ? memory_format("run-%lld-", (long long)run) : memory_format("%s", "");
        done = write_run(&album, run, error);
        free(album.prefix);
    }
    denormal_free_runs(&runs);
    *count = album.count;
    return done;
}
