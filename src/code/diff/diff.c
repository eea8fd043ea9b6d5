#include "code/diff/diff.h"

#include "code/diff/texts.h"

#include <stdlib.h>

static void begin_side(struct diff_side *side, const struct model *model)
{
    *side = (struct diff_side){.model = model};
    side->of_function = memory_get((model->functions.count + 1) * sizeof *side->of_function);
    side->of_loop = memory_get((model->loops.count + 1) * sizeof *side->of_loop);
    diff_read_code(side);
}

void diff_begin(struct comparison *comparison, const struct model *old, const struct model *new)
{
    *comparison =
        (struct comparison){.functions = ARRAY_OF(struct diff_match), .loops = ARRAY_OF(struct diff_match)};
    begin_side(&comparison->sides[diff_OLD], old);
    begin_side(&comparison->sides[diff_NEW], new);
    diff_functions(comparison);
}

const struct diff_match *diff_of_function(const struct comparison *comparison, int side, uint32_t function)
{
    return ARRAY_AT(struct diff_match, &comparison->functions,
                    comparison->sides[side].of_function[function] - 1);
}

void diff_end(struct comparison *comparison)
{
    for (int i = 0; i < diff_BUILDS; i++) {
        struct diff_side *side = &comparison->sides[i];
        free(side->encodings);
        free(side->open_encodings);
        free(side->shapes);
        free(side->functions);
        free(side->loops);
        free(side->of_function);
        free(side->of_loop);
    }
    texts_free(comparison);
    array_free(&comparison->functions);
    array_free(&comparison->loops);
}
