/* MPI: every rank computes, the last one three times as long; then all meet.  Each rank writes its processor time for
   computing. */
#include "own_clock.h"
#include <mpi.h>

__attribute__((noinline)) double spin(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 10000; i++)
            x = x * 0.5 + 1;
    return x;
}
int main(int argc, char **argv)
{
    int rank, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    double computed = 0;
    for (int round = 0; round < 5; round++) {
        double start = own_seconds();
        spin(rank == count - 1 ? 0.18 : 0.06);
        computed += own_seconds() - start;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%d %g\n", rank, computed);
    MPI_Finalize();
    return 0;
}
