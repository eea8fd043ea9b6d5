/* Maps come from databases that anybody may have made: sizes are checked before memory is allocated, and the
   counts of a map must unpack to exactly its cells.

   The map of the whole run has a row of its own (phase NULL).  Where there is none, the phases are added up.

   Maps of phases may have coarser cells than that of the whole run, and an array that was freed and allocated
   again may have had another shape.  Pictures of an array have the finest cells of any of its maps, and are
   as large as the largest; a smaller one lies at the top left.
 */
#include "show/report/denormal/maps.h"

#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    MOST_SIDE = 1 << 14,   /* cells of a slice in a direction */
    MOST_PIXELS = 1 << 24, /* of a picture: 48 MB while it is drawn */
    LEAST_PIXELS = 256,    /* of the longer side: fewer are hard to see */
    LEAST_THICKNESS = 16,  /* pixels of the shorter side, for arrays of one dimension */
    GAP = 2,               /* pixels between slices */
    FLOOR = 110,           /* of 255: a cell with one access */
    GAP_GREY = 70
};

/* Counts of all drawn slices, one after the other. */
struct cells {
    size_t count; /* of a slice */
    uint32_t *counts;
};

void denormal_free_mapped(struct array *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        struct denormal_mapped *array = ARRAY_AT(struct denormal_mapped, arrays, i);
        for (size_t s = 0; s < array->sources.count; s++)
            free(ARRAY_AT(struct denormal_map_source, &array->sources, s)->name);
        array_free(&array->sources);
        array_free(&array->phases);
        free(array->name);
        free(array->dimensions);
    }
    array_free(arrays);
}

static uint32_t small(sqlite3_stmt *statement, int column)
{
    sqlite3_int64 value = sqlite3_column_int64(statement, column);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* How slices lie in a picture, and how many pixels a cell has. */
struct grid {
    uint32_t columns, rows, across, down;
};

/* About as wide as high. */
static struct grid find_grid(const struct denormal_mapped *array)
{
    struct grid grid = {.columns = 1, .rows = array->slices};
    while ((uint64_t)grid.columns * array->width < (uint64_t)grid.rows * array->height &&
           grid.columns < array->slices) {
        grid.columns++;
        grid.rows = (array->slices + grid.columns - 1) / grid.columns;
    }
    uint64_t wide = (uint64_t)grid.columns * array->width, high = (uint64_t)grid.rows * array->height;
    uint32_t longer = (uint32_t)(wide > high ? wide : high);
    grid.across = grid.down = longer < LEAST_PIXELS ? (LEAST_PIXELS + longer - 1) / longer : 1;
    if (array->slices == 1 && array->height * grid.down < LEAST_THICKNESS)
        grid.down = (LEAST_THICKNESS + array->height - 1) / array->height;
    if (array->slices == 1 && array->width * grid.across < LEAST_THICKNESS)
        grid.across = (LEAST_THICKNESS + array->width - 1) / array->width;
    return grid;
}

static bool take_mapped(const struct denormal_view *view, struct denormal_mapped *array, sqlite3_stmt *row,
                        struct error *error)
{
    array->id = sqlite3_column_int64(row, 0);
    array->name = report_column_text(row, 1);
    array->dimensions = report_column_text(row, 2);
    array->width = small(row, 3);
    array->height = small(row, 4);
    array->shrink = small(row, 5);
    array->all_slices = small(row, 6);
    array->most_loads = small(row, 7);
    array->most_stores = small(row, 8);
    array->most_phase_loads = small(row, 9);
    array->most_phase_stores = small(row, 10);
    array->is_assumed = sqlite3_column_int(row, 13);
    array->phases = ARRAY_OF(int64_t);
    array->sources = ARRAY_OF(struct denormal_map_source);
    if (!array->name)
        array->name = memory_format("array");
    if (!array->width || !array->height || array->width > MOST_SIDE || array->height > MOST_SIDE ||
        (uint64_t)array->width * array->height > MOST_PIXELS || !array->all_slices || !small(row, 11) ||
        !small(row, 12))
        return error_set(error, view->path,
                         "the database is damaged: maps of the array %.200s have impossible sizes",
                         array->name);
    uint64_t slice = ((uint64_t)array->width + GAP) * (array->height + GAP);
    uint64_t fitting = MOST_PIXELS / 4 / slice;
    array->slices = fitting < 1 ? 1 : fitting < array->all_slices ? (uint32_t)fitting : array->all_slices;
    return true;
}

static bool find_parts(const struct denormal_view *view, struct denormal_mapped *array, struct error *error)
{
    const char *phases = query_named(denormal_queries, "parts_by_phase");
    const char *sources = query_named(denormal_queries, "parts_by_source");
    int state = 0;
    for (int i = 0; i < 2 && state == 0; i++) {
        sqlite3_stmt *statement = denormal_ask(view, i ? sources : phases, array->id, -1, error);
        state = -1;
        while (statement && (state = report_step(statement, error)) == 1)
            if (i)
                *(struct denormal_map_source *)array_add(&array->sources) = (struct denormal_map_source){
                    sqlite3_column_int64(statement, 0), report_column_text(statement, 1)};
            else
                *(int64_t *)array_add(&array->phases) = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
    }
    return state == 0;
}

bool denormal_find_mapped(const struct denormal_view *view, int64_t run, size_t most, struct array *arrays,
                          struct error *error)
{
    const char *sql = query_named(denormal_queries, "denormal_find_mapped");
    int state = -1;
    *arrays = ARRAY_OF(struct denormal_mapped);
    sqlite3_stmt *statement = denormal_ask(view, sql, run, most ? (int64_t)most : -1, error);
    while (statement && (state = report_step(statement, error)) == 1) {
        struct denormal_mapped *array = array_add(arrays);
        if (!take_mapped(view, array, statement, error) || !find_parts(view, array, error)) {
            state = -1;
            break;
        }
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static uint32_t read_u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The first fine cell of a cell that covers shrink elements in a direction. */
static size_t start_of(const struct denormal_mapped *array, size_t cell, uint32_t shrink, uint32_t end)
{
    uint64_t start = shrink == array->shrink ? cell : (uint64_t)cell * shrink / array->shrink;
    return start < end ? (size_t)start : end;
}

/* Adds a map to the counts of its slice, which saturate; coarse cells fill several fine ones. */
static void add_cells(const struct denormal_mapped *array, const uint8_t *unpacked, uint32_t width,
                      uint32_t height, uint32_t shrink, uint32_t *to)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            uint32_t count = read_u32(unpacked + 4 * (y * width + x));
            size_t left = start_of(array, x, shrink, array->width),
                   right = start_of(array, x + 1, shrink, array->width),
                   bottom = start_of(array, y + 1, shrink, array->height);
            for (size_t v = start_of(array, y, shrink, array->height); count && v < bottom; v++)
                for (size_t u = left; u < right; u++) {
                    uint32_t *cell = &to[v * array->width + u];
                    *cell = count > UINT32_MAX - *cell ? UINT32_MAX : *cell + count;
                }
        }
}

static bool add_map(const struct denormal_view *view, const struct denormal_mapped *array, sqlite3_stmt *row,
                    const struct cells *cells, uint8_t *unpacked, struct error *error)
{
    uint32_t slice = small(row, 0), width = small(row, 2), height = small(row, 3), shrink = small(row, 4);
    const void *packed = sqlite3_column_blob(row, 1);
    uLong packed_size = (uLong)sqlite3_column_bytes(row, 1);
    size_t count = width <= array->width && height <= array->height ? (size_t)width * height : 0;
    uLongf size = (uLongf)count * 4;
    if (!count || !packed || uncompress(unpacked, &size, packed, packed_size) != Z_OK || size != count * 4)
        return error_set(error, view->path,
                         "the database is damaged: a map of the array %.200s has the wrong number of cells",
                         array->name);
    if (slice < array->slices)
        add_cells(array, unpacked, width, height, shrink ? shrink : 1, cells->counts + slice * cells->count);
    return true;
}

/* kind: word of denormal_map_kind; phase 0: the whole run; source 0: no matter.  *found: maps added. */
static bool add_maps(const struct denormal_view *view, const struct denormal_mapped *array, int64_t phase,
                     const char *kind, int64_t source, bool adds_phases, const struct cells *cells,
                     size_t *found, struct error *error)
{
    const char *sql = query_named(denormal_queries, "add_maps");
    sqlite3_stmt *statement = denormal_ask(view, sql, array->id, -1, error);
    autofree uint8_t *unpacked = memory_get(cells->count * 4);
    int state = -1;
    if (statement) {
        sqlite3_bind_int64(statement, 3, phase);
        sqlite3_bind_text(statement, 4, kind, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 5, source);
        sqlite3_bind_int(statement, 6, adds_phases);
    }
    while (statement && (state = report_step(statement, error)) == 1) {
        ++*found;
        if (!add_map(view, array, statement, cells, unpacked, error)) {
            state = -1;
            break;
        }
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static bool load_cells(const struct denormal_view *view, const struct denormal_mapped *array, int64_t phase,
                       const char *kind, int64_t source, struct cells *cells, struct error *error)
{
    size_t found = 0;
    cells->count = (size_t)array->width * array->height;
    cells->counts = memory_get(cells->count * array->slices * sizeof *cells->counts);
    bool done = add_maps(view, array, phase, kind, source, false, cells, &found, error);
    if (done && !found && !phase)
        done = add_maps(view, array, 0, kind, source, true, cells, &found, error);
    return done;
}

static uint32_t largest_of(const struct denormal_mapped *array, const struct cells *cells)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < cells->count * array->slices; i++)
        largest = cells->counts[i] > largest ? cells->counts[i] : largest;
    return largest;
}

/* 0 for a count of 0, else from FLOOR to 255. */
static uint8_t brightness(uint32_t count, uint32_t largest)
{
    if (!count)
        return 0;
    return count >= largest ? 255 : (uint8_t)(FLOOR + (uint64_t)(255 - FLOOR) * count / largest);
}

static struct picture new_picture(const struct denormal_mapped *array, const struct grid *grid)
{
    struct picture picture = picture_new(grid->columns * (array->width * grid->across + GAP) - GAP,
                                         grid->rows * (array->height * grid->down + GAP) - GAP);
    if (array->slices > 1)
        memset(picture.pixels, GAP_GREY, (size_t)3 * picture.width * picture.height);
    return picture;
}

static void paint_cell(const struct denormal_mapped *array, const struct grid *grid, struct picture *picture,
                       size_t place, const uint8_t colour[3])
{
    size_t cells = (size_t)array->width * array->height, slice = place / cells, cell = place % cells;
    size_t left =
        slice % grid->columns * (array->width * grid->across + GAP) + cell % array->width * grid->across;
    size_t top =
        slice / grid->columns * (array->height * grid->down + GAP) + cell / array->width * grid->down;
    for (uint32_t y = 0; y < grid->down; y++)
        for (uint32_t x = 0; x < grid->across; x++)
            memcpy(picture->pixels + 3 * ((top + y) * picture->width + left + x), colour, 3);
}

bool denormal_draw_map(const struct denormal_view *view, const struct denormal_mapped *array, int64_t phase,
                       enum denormal_ink ink, struct picture *picture, struct error *error)
{
    struct cells loads = {0}, stores = {0};
    *picture = (struct picture){0};
    bool done = load_cells(view, array, phase, "loads", 0, &loads, error) &&
                load_cells(view, array, phase, "stores", 0, &stores, error);
    if (done) {
        uint32_t most_loads = phase ? array->most_phase_loads : largest_of(array, &loads);
        uint32_t most_stores = phase ? array->most_phase_stores : largest_of(array, &stores);
        struct grid grid = find_grid(array);
        *picture = new_picture(array, &grid);
        for (size_t i = 0; i < loads.count * array->slices; i++) {
            uint8_t red = ink & denormal_ink_LOADS ? brightness(loads.counts[i], most_loads) : 0;
            uint8_t blue = ink & denormal_ink_STORES ? brightness(stores.counts[i], most_stores) : 0;
            /* Pure blue is hard to see on black; some green lifts it. */
            uint8_t colour[3] = {red, (uint8_t)(blue * 2 / 5), blue};
            paint_cell(array, &grid, picture, i, colour);
        }
    }
    free(loads.counts);
    free(stores.counts);
    return done;
}

bool denormal_draw_origins(const struct denormal_view *view, const struct denormal_mapped *array,
                           int64_t source, struct picture *picture, struct error *error)
{
    struct cells cells = {0};
    *picture = (struct picture){0};
    bool done = load_cells(view, array, 0, "origin", source, &cells, error);
    if (done) {
        uint32_t most = largest_of(array, &cells);
        struct grid grid = find_grid(array);
        *picture = new_picture(array, &grid);
        for (size_t i = 0; i < cells.count * array->slices; i++) {
            uint8_t level = brightness(cells.counts[i], most),
                    colour[3] = {level, (uint8_t)(level * 2 / 3), 0};
            paint_cell(array, &grid, picture, i, colour);
        }
    }
    free(cells.counts);
    return done;
}
