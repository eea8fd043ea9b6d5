/* Particles as an array of structures: a step needs four of ten members. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 500 };
struct particle { float mass, charge, x, y, z, u, v, w, age, kind; };
static struct particle particles[LENGTH];

__attribute__((noipa)) void kernel(struct particle *p, float step, int count)
{
    for (int i = 0; i < count; i++) {
        p[i].x = p[i].x * 0.5f + p[i].u * step;
        p[i].z = p[i].z * 0.5f + p[i].w * step;
    }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        particles[i].u = i % 7, particles[i].w = i % 5;
    for (long k = 0; k < repetitions; k++)
        kernel(particles, 0.25f, LENGTH);
    for (int i = 0; i < LENGTH; i++)
        sum += particles[i].x + particles[i].z;
    printf("%.3f\n", sum);
}
