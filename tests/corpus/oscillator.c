/* A sine for each sample of a phase that is handed on and starts again after a turn: no option makes vectors of that.
   build: gcc -O2
   says: calls potential cheaper
   without: calls vector-library
   remedy: calls cheaper -DREMEDY
   measured: calls cheaper cascade-lake 1.86
   libraries: -lm */
#include <math.h>
#include "corpus.h"

static float y[N];
static const double TURN = 6.283185307179586;

KERNEL void kernel(float *y, double step, int n)
{
    double phase = 0;
    for (int i = 0; i < n; i++) {
#ifdef REMEDY
        y[i] = sinf((float) phase);
#else
        y[i] = (float) sin(phase);
#endif
        phase += step;
        if (phase > TURN)
            phase -= TURN;
    }
}

void set_up(void)
{
}

void run(void)
{
    kernel(y, 0.06, N);
}

double result(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * (i % 5 + 1);
    return sum;
}
