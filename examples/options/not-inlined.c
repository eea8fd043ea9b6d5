/* slow: -O2 -fno-inline   fast: -O2
   Accessors of a structure, called for every element. */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int width, height;
    float *cells;
};

static int index_of(const struct grid *grid, int x, int y)
{
    return y * grid->width + x;
}

static float cell(const struct grid *grid, int x, int y)
{
    return grid->cells[index_of(grid, x, y)];
}

static void set(struct grid *grid, int x, int y, float value)
{
    grid->cells[index_of(grid, x, y)] = value;
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 300;
    struct grid grid = {.width = 256, .height = 256, .cells = calloc(256 * 256, sizeof(float))};
    for (long i = 0; i < steps; i++)
        for (int y = 1; y < grid.height - 1; y++)
            for (int x = 1; x < grid.width - 1; x++)
                set(&grid, x, y, 0.25f * (cell(&grid, x - 1, y) + cell(&grid, x + 1, y)) + 0.5f);
    printf("%g\n", cell(&grid, 100, 100));
}
