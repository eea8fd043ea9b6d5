/* Lagrange's interpolation through 20 points at 50 places.
   build: gcc -O2
   cure: divide-less -DCURE=1
   best: -DCURE=1 */
#include "fresh.h"
enum { POINTS = 20, PLACES = 50 };
static double px[POINTS], py[POINTS], at[PLACES], value[PLACES];
KERNEL void kernel(double *R v, const double *R at, const double *R px, const double *R py)
{
    for (int i = 0; i < PLACES; i++) {
        double sum = 0;
        for (int j = 0; j < POINTS; j++) {
            double product = py[j];
#if CURE == 1
            double above = 1, below = 1;
            for (int k = 0; k < POINTS; k++)
                if (k != j) {
                    above *= at[i] - px[k];
                    below *= px[j] - px[k];
                }
            product *= above / below;
#else
            for (int k = 0; k < POINTS; k++)
                if (k != j)
                    product *= (at[i] - px[k]) / (px[j] - px[k]);
#endif
            sum += product;
        }
        v[i] = sum;
    }
}
void set_up(void)
{
    for (int i = 0; i < POINTS; i++)
        px[i] = i, py[i] = uniform();
    for (int i = 0; i < PLACES; i++)
        at[i] = 5 + 0.1 * i;
}
void run(void)
{
    kernel(value, at, px, py);
}
RESULT(value, PLACES)
