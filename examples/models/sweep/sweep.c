/* A wavefront program as Sweep3D is one: sweeps over a grid of cells from its corners, ranks in a grid of
   columns and rows, each with a stack of tiles.

   A rank receives the boundary of a tile from the two neighbours upstream, computes the tile, and sends its
   own boundary to the two downstream. A cell is solved for several angles: a weighted sum of what comes in
   from three sides over a cross-section, as in discrete ordinates transport.

       mpirun -n 4 ./sweep COLUMNS ROWS [NX NY NZ HTILE ITERATIONS]

   NX and NY are cells of one rank, so that more ranks mean a larger problem. Rank 0 prints seconds, the mean
   of each iteration, and a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANGLES = 6, SWEEPS = 8 };

static int columns, rows, nx = 64, ny = 64, nz = 64, htile = 2, iterations = 5;
static int column, row;

static double *flux;                 /* nz × ny × nx: summed over angles */
static double *from_row, *from_column; /* boundaries of a tile: htile × ny × ANGLES, htile × nx × ANGLES */
static double *from_above;           /* ny × nx × ANGLES */

/* One row of cells along x for one angle; `side` comes in along x, `behind` along y, `above` along z. Each
   cell waits for the one before: this chain is what limits the program. */
__attribute__((noinline)) static double solve_row(double *restrict out, double *restrict behind, double *restrict above,
                                                  double side, int step)
{
    for (int i = 0; i < nx; i++) {
        double value = (0.4 * *behind + 0.3 * *above + 1.0 + 0.3 * side) * (1 / 1.7);
        side = *behind = *above = value;
        *out += value;
        out += step;
        behind += step;
        above += step;
    }
    return side;
}

static void solve_tile(int tile, int is_up, int east, int south)
{
    for (int k = 0; k < htile; k++) {
        int z = is_up ? nz - 1 - tile * htile - k : tile * htile + k;
        for (int j = 0; j < ny; j++) {
            int y = south > 0 ? j : ny - 1 - j;
            int first = east > 0 ? 0 : nx - 1;
            double *out = flux + ((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + first;
            for (int angle = 0; angle < ANGLES; angle++) {
                double *side = from_row + (k * ny + y) * ANGLES + angle;
                *side = solve_row(out, from_column + (k * ANGLES + angle) * nx + first,
                                  from_above + ((size_t)y * ANGLES + (size_t)angle) * (size_t)nx + first, *side, east);
            }
        }
    }
}

static int neighbour(int east, int south)
{
    int x = column + east, y = row + south;
    return x < 0 || x >= columns || y < 0 || y >= rows ? MPI_PROC_NULL : y * columns + x;
}

static void set(double *values, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        values[i] = value;
}

/* corner: 1 begins in the east, 2 in the south. */
static void sweep(int corner, int is_up)
{
    int east = corner & 1 ? -1 : 1, south = corner & 2 ? -1 : 1;
    int row_bytes = htile * ny * ANGLES, column_bytes = htile * nx * ANGLES;
    set(from_above, (size_t)nx * (size_t)ny * ANGLES, 0);
    for (int tile = 0; tile < nz / htile; tile++) {
        if (neighbour(-east, 0) != MPI_PROC_NULL)
            MPI_Recv(from_row, row_bytes, MPI_DOUBLE, neighbour(-east, 0), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            set(from_row, (size_t)row_bytes, 0);
        if (neighbour(0, -south) != MPI_PROC_NULL)
            MPI_Recv(from_column, column_bytes, MPI_DOUBLE, neighbour(0, -south), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            set(from_column, (size_t)column_bytes, 0);
        solve_tile(tile, is_up, east, south);
        if (neighbour(east, 0) != MPI_PROC_NULL)
            MPI_Send(from_row, row_bytes, MPI_DOUBLE, neighbour(east, 0), 1, MPI_COMM_WORLD);
        if (neighbour(0, south) != MPI_PROC_NULL)
            MPI_Send(from_column, column_bytes, MPI_DOUBLE, neighbour(0, south), 1, MPI_COMM_WORLD);
    }
}

static void iterate(void)
{
    static const int corners[SWEEPS / 2] = {0, 2, 1, 3}; /* as Sweep3D: next to the one before, then opposite */
    for (int i = 0; i < SWEEPS; i++)
        sweep(corners[i / 2], i % 2);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    int rank, ranks, *options[] = {&columns, &rows, &nx, &ny, &nz, &htile, &iterations};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < count && i <= 7; i++)
        *options[i - 1] = atoi(words[i]);
    if (columns * rows != ranks || nx < 1 || ny < 1 || htile < 1 || nz % htile || iterations < 1) {
        if (!rank)
            fprintf(stderr, "sweep COLUMNS ROWS [NX NY NZ HTILE ITERATIONS]: COLUMNS x ROWS ranks, HTILE divides NZ\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    column = rank % columns;
    row = rank / columns;
    flux = calloc((size_t)nz * (size_t)ny * (size_t)nx, sizeof *flux);
    from_row = calloc((size_t)(htile * ny * ANGLES), sizeof *from_row);
    from_column = calloc((size_t)(htile * nx * ANGLES), sizeof *from_column);
    from_above = calloc((size_t)nx * (size_t)ny * ANGLES, sizeof *from_above);
    iterate(); /* touches all memory */
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++)
        iterate();
    MPI_Barrier(MPI_COMM_WORLD);
    double took = (MPI_Wtime() - begin) / iterations, sum = 0, all;
    for (size_t i = 0; i < (size_t)nz * (size_t)ny * (size_t)nx; i++)
        sum += flux[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("%.6f s for each iteration, checksum %.9g\n", took, all);
    MPI_Finalize();
    return 0;
}
