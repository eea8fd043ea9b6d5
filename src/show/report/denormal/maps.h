/* Maps of arrays as pictures: reads red, writes blue, purple where both; origins amber; black for none. The
   brightest cell of a kind has the largest count of the array over all its phases, so that the frames of a
   film compare; a cell with a single access can still be seen.  Slices of arrays of three and more dimensions
   lie side by side in a grid, the first at the top left.  Small arrays are drawn larger. */
#ifndef SHOW_REPORT_DENORMAL_MAPS_H
#define SHOW_REPORT_DENORMAL_MAPS_H
#include "show/report/denormal/parts.h"
#include "show/report/common/png.h"

/* An array that has maps. */
struct denormal_mapped {
    int64_t id;
    char *name, *dimensions;
    bool is_assumed;                /* the dimensions are */
    uint32_t width, height, shrink; /* of a slice, in cells; elements of a cell in each direction */
    uint32_t slices;                /* that are drawn: as many as a picture may have */
    uint32_t all_slices;
    uint32_t most_loads, most_stores; /* of a cell, in the whole run */
    uint32_t most_phase_loads, most_phase_stores;
    struct array phases;  /* of int64_t: those with maps, in order */
    struct array sources; /* of struct denormal_map_source */
};
struct denormal_map_source {
    int64_t id;
    char *name;
};

/* The arrays of a run, those with most accesses first; most: 0 for all. */
bool denormal_find_mapped(const struct denormal_view *view, int64_t run, size_t most, struct array *arrays,
                          struct error *error);
void denormal_free_mapped(struct array *arrays);

enum denormal_ink { denormal_ink_LOADS = 1, denormal_ink_STORES = 2, denormal_ink_BOTH = 3 };
/* phase 0: the whole run. */
bool denormal_draw_map(const struct denormal_view *view, const struct denormal_mapped *array, int64_t phase,
                       enum denormal_ink ink, struct picture *picture, struct error *error);
bool denormal_draw_origins(const struct denormal_view *view, const struct denormal_mapped *array,
                           int64_t source, struct picture *picture, struct error *error);
#endif
