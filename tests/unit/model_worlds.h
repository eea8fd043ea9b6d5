/* Programs that do not exist, to try models on: each makes cases whose truth is known. */
#ifndef TESTS_UNIT_MODEL_WORLDS_H
#define TESTS_UNIT_MODEL_WORLDS_H
#include "plan/predict/model.h"

#include <math.h>

enum { WORLD_PROBES = 6, WORLD_FEATURES = 3 };

struct world_case {
    struct model_case model;
    struct model_probe probes[WORLD_PROBES];
    double features[WORLD_FEATURES];
    double truth;
};

static uint64_t world_state;

static double world_uniform(void)
{
    world_state = world_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = (world_state ^ world_state >> 31) * 0x9e3779b97f4a7c15u;
    return ((double)(mixed >> 11) + 0.5) / 9007199254740992.0;
}

static double world_normal(void)
{
    return sqrt(-2 * log(world_uniform())) * cos(6.283185307179586 * world_uniform());
}

static double world_log_uniform(double least, double most)
{
    return least * pow(most / least, world_uniform());
}

static void world_probe(struct world_case *made, unsigned place, double factor, bool is_identity,
                        double seconds)
{
    made->probes[place] = (struct model_probe){factor, is_identity, seconds};
}

static const double world_factors[] = {6, 5, 4};

/* Work goes with the voxels and with how hard the pair is; probes see both, with some noise. */
static void world_registration(struct world_case *made)
{
    double voxels = world_log_uniform(1e5, 4e6), hard = exp(fabs(world_normal()) * 0.9);
    double least = voxels * 2e-5 * exp(0.3 * world_normal());
    made->model.size = voxels;
    made->features[0] = voxels * exp(0.1 * world_normal());
    made->features[1] = world_normal();
    made->truth = least * hard * exp(0.12 * world_normal());
    for (unsigned i = 0; i < 3; i++) {
        double k = world_factors[i], shrink = pow(k, -2.7);
        world_probe(made, 2 * i, k, true, 0.08 + least * shrink * exp(0.04 * world_normal()));
        world_probe(made, 2 * i + 1, k, false,
                    0.08 + least * shrink * pow(hard, 0.8) * exp(0.05 * k * world_normal()));
    }
}

/* Four bands far apart, as the thesis saw them; small probes mistake a band now and then. */
static void world_bands(struct world_case *made)
{
    static const double bands[] = {2500, 6000, 11000, 18000};
    double band = bands[(unsigned)(world_uniform() * 4)];
    made->model.size = 1e6;
    made->truth = band * exp(0.1 * world_normal());
    for (unsigned i = 0; i < 3; i++) {
        double k = world_factors[i], seen = pow(band, 0.85) * 4 * pow(k, -3);
        world_probe(made, 2 * i, k, true, 2500 * pow(k, -3) * exp(0.05 * world_normal()));
        world_probe(made, 2 * i + 1, k, false, seen * exp(0.04 * k * world_normal()));
    }
}

/* A solver: the time has a heavy tail, and a smaller instance says nothing about the whole one. */
static void world_solver(struct world_case *made)
{
    made->model.size = floor(200 + 20 * world_uniform());
    made->truth = 5 * exp(1.5 * world_normal()) * (world_uniform() < 0.1 ? 10 : 1);
    for (unsigned i = 0; i < 3; i++) {
        world_probe(made, 2 * i, world_factors[i], true, 0.01 * exp(0.1 * world_normal()));
        world_probe(made, 2 * i + 1, world_factors[i], false, 0.05 * exp(1.0 * world_normal()));
    }
}

/* Time is a product of powers of features; it cannot be made smaller, so there are no probes. */
static void world_parameters(struct world_case *made)
{
    made->model.size = NAN;
    made->model.probe_count = 0;
    made->features[0] = world_log_uniform(10, 1000);
    made->features[1] = world_log_uniform(0.1, 2);
    made->features[2] = world_normal();
    made->truth =
        0.01 * pow(made->features[0], 1.5) * pow(made->features[1], -0.7) * exp(0.15 * world_normal());
}

/* An encoder: frames and content; the probes are of two dimensions, and start-up hides the small ones. */
static void world_encoder(struct world_case *made)
{
    double pixels = world_log_uniform(1e5, 8e6), motion = world_log_uniform(0.3, 3);
    made->model.size = pixels;
    made->features[0] = world_log_uniform(15, 45);
    made->truth =
        0.15 + pixels * 3e-6 * motion * pow(made->features[0] / 30, -0.5) * exp(0.06 * world_normal());
    for (unsigned i = 0; i < 3; i++) {
        double k = world_factors[i];
        world_probe(made, 2 * i, k, true, 0.15 + pixels * 1e-6 * pow(k, -2) * exp(0.05 * world_normal()));
        world_probe(made, 2 * i + 1, k, false,
                    0.15 + pixels * 3e-6 * motion * pow(k, -1.9) * pow(made->features[0] / 30, -0.3) *
                               exp(0.08 * world_normal()));
    }
}

typedef void world(struct world_case *made);

static void world_make(world *make, struct world_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cases[i] = (struct world_case){0};
        struct model_case *model = &cases[i].model;
        *model = (struct model_case){.size = NAN,
                                     .features = cases[i].features,
                                     .probes = cases[i].probes,
                                     .probe_count = WORLD_PROBES};
        make(&cases[i]);
        model->seconds = cases[i].truth;
    }
}
#endif
