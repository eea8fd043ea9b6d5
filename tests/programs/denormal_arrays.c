#include <stdlib.h>

enum { N = 48 };
float plate[6][8];
static double hidden[48];
struct grid {
    int size;
    float *velocity;
    double weights[6][8];
};
struct grid whole;
struct grid *reached;
float *loose;
static float *rows[2];
_Complex float spectrum[24];
volatile float zero;

__attribute__((noinline)) void fill(float *target, int count, float value)
{
    for (int i = 0; i < count; i++)
        target[i] = value * (1 + (float)i / count);
}

__attribute__((noinline)) static void fill_doubles(double *target, int count, double value)
{
    for (int i = 0; i < count; i++)
        target[i] = value * (1 + (double)i / count);
}

__attribute__((noinline)) float work(int count, struct grid *grid)
{
    float local[N];
    static float kept[N];
    fill(local, count, 1e-39f);
    fill(kept, count, 1e-39f);
    fill(grid->velocity, count, 1e-39f);
    fill_doubles(&grid->weights[0][0], count, 1e-310);
    return local[count - 1] + kept[count - 1];
}

__attribute__((noinline)) float *make(int count)
{
    return malloc(count * sizeof(float));
}

int main(void)
{
    float *own = malloc(N * sizeof(float));
    double(*table)[8] = malloc(N * sizeof(double));
    whole.velocity = make(N);
    reached = calloc(1, sizeof *reached);
    reached->velocity = make(N);
    loose = make(N);
    rows[0] = make(N);
    rows[1] = make(N);
    fill(&plate[0][0], N, 1e-39f);
    fill_doubles(hidden, N, 1e-310);
    fill_doubles(&table[0][0], N, 1e-310);
    fill(own, N, 1e-39f);
    fill(loose, N, 1e-39f);
    fill(rows[0], N, 1e-39f);
    fill(rows[1], N, 1e-39f);
    fill((float *)spectrum, N, 1e-39f);
    fill_doubles(&whole.weights[0][0], N, 1e-310);
    fill(whole.velocity, N, 1e-39f);
    float sum = work(N, reached);
    fill(make(N) + (int)zero, N, 1e-39f);
    for (int i = 0; i < N; i++)
        sum += plate[i / 8][i % 8] + own[i] + table[i / 8][i % 8] + hidden[i];
    return sum > 1;
}
