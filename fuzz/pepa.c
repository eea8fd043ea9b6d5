/* Text as a PEPA model: refused with its place, or explored, a little; then every answer that is asked for
   must be made of numbers. */
#include "fuzz/harness.h"

#include "plan/modelling/pepa/pepa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_error(const struct error *error)
{
    if (!error->set || !*error->text)
        harness_wrong("a refusal without an error", "");
}

/* Lumped, nothing may happen at another rate; and whoever is lumped is the same as before. */
static void try_lumped(struct pepa_structure *structure, const struct pepa_limits *limits,
                       const struct pepa_space *whole)
{
    struct error error = {0};
    struct pepa_difference difference;
    bool is_same;
    struct pepa_space *space = pepa_explore(structure, limits, &error);
    if (!space)
        return;
    if (!pepa_lump(space, structure, NULL, &error) || space->count > whole->count)
        harness_wrong("lumped to more states, or not at all", "");
    if (!pepa_compare(whole, space, &is_same, &difference, &error) || !is_same)
        harness_wrong("a lumped space is another one", "");
    pepa_difference_free(&difference);
    pepa_space_free(space);
}

static void try_space(struct pepa_structure *structure, const struct pepa_limits *limits)
{
    struct error error = {0};
    struct pepa_space *space = pepa_explore(structure, limits, &error);
    struct pepa_steady steady = {0};
    if (!space) {
        expect_error(&error);
        return;
    }
    if (space->rows[space->count] < 20000 && pepa_steady(space, &steady, &error)) {
        double total = 0;
        for (uint32_t i = 0; i < space->count; i++)
            total += steady.probability[i];
        if (!(fabs(total - 1) < 1e-6) && isfinite(total))
            harness_wrong("probabilities that do not sum to 1", "");
    }
    pepa_steady_free(&steady);
    free(pepa_state_text(space, space->count - 1));
    if (space->rows[space->count] < 20000)
        try_lumped(structure, limits, space);
    pepa_space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct pepa_limits limits = {.most_states = 300};
    struct pepa_model *model = pepa_parse("/nowhere/file", (const char *)data, size, NULL, 0, &error);
    if (!model) {
        expect_error(&error);
        if (strncmp(error.text, "/nowhere/file:", 14))
            harness_wrong("an error without its place", error.text);
        return 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        struct error other = {0};
        limits.is_expanded = i == 1;
        limits.is_lumped = i == 2;
        struct pepa_structure *structure = pepa_build(model, &limits, &other);
        if (structure)
            try_space(structure, &limits);
        else
            expect_error(&other);
        pepa_structure_free(structure);
    }
    pepa_free(model);
    return 0;
}
