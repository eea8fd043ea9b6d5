/* Maps of arrays: how often each cell was read and written in the current phase, and from which array the
   written values came.

   A map is made of pieces, each with a few thousand cells, that are made when something is first counted in
   them: denormals often sit in a small part of a large array.  All pieces together have a limit; beyond it,
   values count only for the array, and the recording says that maps are incomplete. */
#include "arrays.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* Of the 200 MB that the tracer may take beside the program's own size. */
enum { MOST_PIECES = (64 << 20) / (MAP_PIECE * 4) };
enum { MOST_SOURCES = 16, MOST_MAP_PIECES = 1 << 12 };

static UInt piece_count;

static struct map *find_map(struct array *array, UInt kind, UInt source)
{
    for (struct map *map = array->maps; map; map = map->next)
        if (map->kind == kind && map->source == source)
            return map;
    if (kind == TRACE_MAP_ORIGIN && array->source_count == MOST_SOURCES) {
        limit_add("values missing in origin maps, because they came from too many arrays", 1);
        return NULL;
    }
    struct map *map = VG_(calloc)("trace.map", 1, sizeof *map);
    map->kind = kind;
    map->source = source;
    map->next = array->maps;
    array->maps = map;
    array->source_count += kind == TRACE_MAP_ORIGIN;
    return map;
}

static UInt *find_piece(struct map *map, UInt number)
{
    if (number >= MOST_MAP_PIECES)
        return NULL;
    if (number >= map->piece_count) {
        UInt count = number + 1 + number / 4;
        map->pieces = VG_(realloc)("trace.map", map->pieces, count * sizeof *map->pieces);
        VG_(memset)(map->pieces + map->piece_count, 0, (count - map->piece_count) * sizeof *map->pieces);
        map->piece_count = count;
    }
    if (!map->pieces[number] && piece_count < MOST_PIECES) {
        map->pieces[number] = VG_(calloc)("trace.map", MAP_PIECE, sizeof(UInt));
        piece_count++;
    }
    return map->pieces[number];
}

void map_count(struct array *array, UInt kind, UInt source, Addr offset)
{
    Addr cell = offset >> array->cell_shift;
    if (cell / MAP_PIECE >= MOST_MAP_PIECES) /* before its first element, too */
        return;
    struct map *map = find_map(array, kind, source);
    UInt *piece = map ? find_piece(map, (UInt)(cell / MAP_PIECE)) : NULL;
    if (!piece) {
        if (map)
            limit_add("values missing in maps, because those would have taken too much memory", 1);
        return;
    }
    UInt *count = &piece[cell % MAP_PIECE];
    if (*count != ~0U)
        ++*count;
}

void map_count_lanes(struct array *array, UInt kind, UInt source, Addr offset, UInt bytes, UInt lanes)
{
    struct map *map = find_map(array, kind, source);
    for (; lanes; lanes &= lanes - 1) {
        Addr place = offset + (Addr)__builtin_ctz(lanes) * bytes, cell = place >> array->cell_shift;
        UInt number = (UInt)(cell / MAP_PIECE);
        if (map && cell / MAP_PIECE < map->piece_count && map->pieces[number] &&
            map->pieces[number][cell % MAP_PIECE] != ~0U)
            map->pieces[number][cell % MAP_PIECE]++;
        else
            map_count(array, kind, source, place);
    }
}

static void free_pieces(struct map *map)
{
    for (UInt i = 0; i < map->piece_count; i++)
        if (map->pieces[i]) {
            VG_(free)(map->pieces[i]);
            piece_count--;
        }
    VG_(free)(map->pieces);
    VG_(free)(map);
}

void maps_merge(struct array *to, struct map *map, Bool is_kept)
{
    struct map *into = is_kept ? find_map(to, map->kind, map->source) : NULL;
    for (UInt i = 0; into && i < map->piece_count; i++) {
        if (!map->pieces[i])
            continue;
        UInt *piece = find_piece(into, i);
        for (UInt c = 0; piece && c < MAP_PIECE; c++) {
            ULong sum = (ULong)piece[c] + map->pieces[i][c];
            piece[c] = sum > ~0U ? ~0U : (UInt)sum;
        }
    }
    free_pieces(map);
}

void maps_clear(struct array *array)
{
    for (struct map *map = array->maps; map; map = map->next)
        for (UInt i = 0; i < map->piece_count; i++)
            if (map->pieces[i])
                VG_(memset)(map->pieces[i], 0, MAP_PIECE * sizeof(UInt));
}
