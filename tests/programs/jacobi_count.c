/* What examples/denormals/jacobi.c meets, counted by asking each value: the yardstick for tools that watch
   it.

       jacobi_count SIZE SWEEPS

   Prints a line of JSON.  loads: denormals at each of the four reads, up, down, left, right; results: of the
   three additions and the multiplication; events: executions of those with a denormal operand; births:
   denormal results of normal operands; lost: means that became zero for being too small; a, b: loads and
   stores of the arrays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int is_denormal(float value)
{
    return fpclassify(value) == FP_SUBNORMAL;
}

static long loads[4], results[4], events[4], births, lost, stores, array_loads[2], array_stores[2];

/* volatile: each step is rounded to a float, and none is left out. */
static float count_point(float up, float down, float left, float right, int source)
{
    const float in[4] = {up, down, left, right};
    volatile float sum = up;
    for (int i = 0; i < 4; i++) {
        loads[i] += is_denormal(in[i]);
        array_loads[source] += is_denormal(in[i]);
    }
    for (int i = 0; i < 3; i++) {
        int is_event = is_denormal(sum) || is_denormal(in[i + 1]);
        sum = sum + in[i + 1];
        events[i] += is_event;
        results[i] += is_denormal(sum);
        births += is_denormal(sum) && !is_event;
    }
    volatile float mean = 0.25f * sum;
    events[3] += is_denormal(sum);
    results[3] += is_denormal(mean);
    births += is_denormal(mean) && !is_denormal(sum);
    lost += sum != 0 && mean == 0;
    stores += is_denormal(mean);
    array_stores[!source] += is_denormal(mean);
    return mean;
}

static void tell(const char *name, const long *values, int count)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%ld", i ? ", " : "", values[i]);
    printf("], ");
}

int main(int count, char **words)
{
    int size = count > 2 ? atoi(words[1]) : 512, sweeps = count > 2 ? atoi(words[2]) : 768;
    float *plates[2] = {malloc(sizeof(float) * size * size), malloc(sizeof(float) * size * size)};
    for (int i = 0; i < size * size; i++) {
        int row = i / size, column = i % size;
        plates[0][i] = plates[1][i] = !row || !column || row == size - 1 || column == size - 1 ? 1.0f : 0.0f;
    }
    for (int k = 0; k < sweeps; k++) {
        const float *from = plates[k % 2];
        for (int i = 1; i < size - 1; i++)
            for (int j = 1; j < size - 1; j++)
                plates[!(k % 2)][i * size + j] =
                    count_point(from[(i - 1) * size + j], from[(i + 1) * size + j], from[i * size + j - 1],
                                from[i * size + j + 1], k % 2);
    }
    printf("{");
    tell("loads", loads, 4);
    tell("results", results, 4);
    tell("events", events, 4);
    tell("a", (long[]){array_loads[0], array_stores[0]}, 2);
    tell("b", (long[]){array_loads[1], array_stores[1]}, 2);
    printf("\"stores\": %ld, \"births\": %ld, \"lost\": %ld}\n", stores, births, lost);
    return 0;
}
