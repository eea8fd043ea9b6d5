/* Particles as a structure of arrays. */
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 500 };
struct particles { float mass[LENGTH], charge[LENGTH], x[LENGTH], y[LENGTH], z[LENGTH], u[LENGTH], v[LENGTH], w[LENGTH]; };
static struct particles particles;

__attribute__((noipa)) void kernel(struct particles *p, float step, int count)
{
    for (int i = 0; i < count; i++) {
        p->x[i] = p->x[i] * 0.5f + p->u[i] * step;
        p->z[i] = p->z[i] * 0.5f + p->w[i] * step;
    }
}

int main(int count, char **words)
{
    long repetitions = count > 1 ? atol(words[1]) : 100;
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        particles.u[i] = i % 7, particles.w[i] = i % 5;
    for (long k = 0; k < repetitions; k++)
        kernel(&particles, 0.25f, LENGTH);
    for (int i = 0; i < LENGTH; i++)
        sum += particles.x[i] + particles.z[i];
    printf("%.3f\n", sum);
}
