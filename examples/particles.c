/* Particles that attract each other: the example of docs/heat.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct vector {
    double x, y, z;
};

static inline double dot(const struct vector *a, const struct vector *b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

static inline double inverse_length(const struct vector *a)
{
    return 1 / sqrt(dot(a, a) + 1e-9);
}

static void forces(const struct vector *places, struct vector *sums, int count)
{
    for (int i = 0; i < count; i++) {
        struct vector sum = {0, 0, 0};
        for (int k = 0; k < count; k++) {
            struct vector way = {places[k].x - places[i].x, places[k].y - places[i].y, places[k].z - places[i].z};
            double inverse = inverse_length(&way);
            double weight = inverse * inverse * inverse;
            sum.x += way.x * weight;
            sum.y += way.y * weight;
            sum.z += way.z * weight;
        }
        sums[i] = sum;
    }
}

int main(int argc, char **words)
{
    int count = 2000, steps = argc > 1 ? atoi(words[1]) : 60;
    struct vector *places = calloc((size_t)count, sizeof *places), *sums = calloc((size_t)count, sizeof *sums);
    for (int i = 0; i < count; i++)
        places[i] = (struct vector){sin(i), cos(2 * i), sin(3 * i)};
    for (int step = 0; step < steps; step++) {
        forces(places, sums, count);
        for (int i = 0; i < count; i++)
            places[i].x += 1e-6 * sums[i].x;
    }
    printf("%g\n", places[7].x);
    free(places);
    free(sums);
    return 0;
}
