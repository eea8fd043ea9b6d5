/* Gravity between bodies, as an array of structures.
   build: gcc -O2
   libraries: -lm
   cure: divide-less -DCURE=2
   best: -O3 -ffast-math -march=native */
#include <math.h>
#include "fresh.h"
#if CURE == 2 /* single precision */
typedef float number;
#define sqrt sqrtf
#else
typedef double number;
#endif
enum { BODIES = 60 };
struct body {
    number x, y, z, mass, ax, ay, az;
};
static struct body bodies[BODIES];
KERNEL void kernel(struct body *b, int n)
{
    for (int i = 0; i < n; i++) {
        number ax = 0, ay = 0, az = 0;
        SIMD_LOOP
        for (int j = 0; j < n; j++) {
            number dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            number square = dx * dx + dy * dy + dz * dz + (number)0.01;
            number f = b[j].mass / (square * sqrt(square));
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        b[i].ax = ax;
        b[i].ay = ay;
        b[i].az = az;
    }
}
void set_up(void)
{
    for (int i = 0; i < BODIES; i++)
        bodies[i] = (struct body){
            (number)uniform(), (number)uniform(), (number)uniform(), (number)uniform(), 0, 0, 0};
}
void run(void)
{
    kernel(bodies, BODIES);
    total = (double)bodies[3].ax + 2 * bodies[17].ay + 3 * bodies[40].az;
}
RESULT_TOTAL
