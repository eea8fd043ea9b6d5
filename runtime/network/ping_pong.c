/* What messages cost, measured between two ranks: the program of `assay model measure-network`, which
   compiles it with the user's mpicc and has the user's launcher start it.  MPI and libc only.

   Rank 0 measures with one partner for each distance that there is (same chip, same node, another node), by
   where ranks run at that moment. The others sleep: ranks that poll would take processors away from the two
   that are timed. Each time is taken alone, and quartiles of many are printed, because a rank that loses its
   processor for milliseconds spoils single times and hardly moves a median. What reading the clock takes is
   subtracted.

   For each size:
     round     half the time from a send to the end of the receive of the answer
     send      the call of MPI_Send in it; the receiver waits already
     receive   MPI_Recv of a message that has been there for long; of a large one, which waits for its
               receiver, the whole transfer
     burst     of many sends in a row, the time of each, until the last has been received
     late      MPI_Send to a rank that only looks after a delay: does the sender wait (rendezvous)?

   Where several ranks are bound to the processor of rank 0, a message of 8 bytes to one of them is timed while the
   others wait in a receive, as ranks of a program do: what it costs that ranks take turns.

   Lines of words with tabs between them; network/measured.c reads them. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GO = 1, DATA = 2, DONE = 3, SHARED = 4, MOST_SAMPLES = 400, BURST = 20, LATE = 7, NAME = 256 };
static const double delay = 300e-6;

struct place {
    char host[NAME];
    int processor, package, is_bound; /* is_bound: to this processor alone */
};

static double clock_cost, last_round;
static char *buffer;
static size_t largest;

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_quartiles(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    for (int i = 1; i < 4; i++) {
        double value = samples[(count - 1) * i / 4] - clock_cost;
        printf("\t%.4g", value > 0 ? value : 0);
    }
}

static void spin(double seconds)
{
    double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < seconds)
        ;
}

static int samples_of(size_t bytes)
{
    return bytes <= 4096 ? MOST_SAMPLES : bytes <= 262144 ? 200 : 60;
}

static void send_to(int other, size_t bytes, int tag)
{
    MPI_Send(buffer, (int)bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD);
}

static void receive_from(int other, size_t bytes, int tag)
{
    MPI_Recv(buffer, (int)bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* --- rank 0 --- */

static void measure_rounds(int other, size_t bytes)
{
    static double rounds[MOST_SAMPLES], sends[MOST_SAMPLES];
    int count = samples_of(bytes);
    for (int i = -5; i < count; i++) {
        double begin = MPI_Wtime();
        send_to(other, bytes, DATA);
        double sent = MPI_Wtime();
        receive_from(other, bytes, DATA);
        double end = MPI_Wtime();
        if (i >= 0) {
            rounds[i] = (end - begin) / 2;
            sends[i] = sent - begin;
        }
    }
    print_quartiles(rounds, count);
    last_round = rounds[count / 2];
    print_quartiles(sends, count);
}

static void measure_receives(int other, size_t bytes)
{
    static double receives[MOST_SAMPLES];
    int count = samples_of(bytes) / 4;
    for (int i = 0; i < count; i++) {
        send_to(other, 0, GO);
        spin(20e-6 + 4 * last_round);
        double begin = MPI_Wtime();
        receive_from(other, bytes, DATA);
        receives[i] = MPI_Wtime() - begin;
    }
    print_quartiles(receives, count);
}

static void measure_bursts(int other, size_t bytes)
{
    static double bursts[MOST_SAMPLES];
    int count = samples_of(bytes) / 20;
    for (int i = 0; i < count; i++) {
        double begin = MPI_Wtime();
        for (int k = 0; k < BURST; k++)
            send_to(other, bytes, DATA);
        receive_from(other, 0, GO);
        bursts[i] = (MPI_Wtime() - begin) / BURST;
    }
    print_quartiles(bursts, count);
}

static double time_late_send(int other, size_t bytes)
{
    double times[LATE];
    for (int i = 0; i < LATE; i++) {
        send_to(other, 0, GO);
        double begin = MPI_Wtime();
        send_to(other, bytes, DATA);
        times[i] = MPI_Wtime() - begin;
        receive_from(other, 0, GO);
    }
    qsort(times, LATE, sizeof *times, compare);
    return times[LATE / 2];
}

static int is_waiting(int other, size_t bytes)
{
    long order[2] = {3, (long)bytes};
    MPI_Send(order, 2, MPI_LONG, other, GO, MPI_COMM_WORLD);
    return time_late_send(other, bytes) > delay / 2;
}

/* The largest message that does not wait, between one that does not and one that does. */
static void find_threshold(int other, size_t eager, size_t waiting)
{
    while (waiting - eager > 1 && waiting - eager > eager / 256) {
        size_t middle = eager + (waiting - eager) / 2;
        if (is_waiting(other, middle))
            waiting = middle;
        else
            eager = middle;
    }
    printf("eager\t%zu\n", eager);
}

static void measure(int other)
{
    size_t last_eager = 0;
    int was_waiting = 0;
    for (int step = -1; step < 2 * 24; step++) {
        size_t bytes = step < 0 ? 0 : (size_t)(2 + step % 2) << (step / 2 + 2); /* 0, 8, 12, 16, 24, … */
        if (bytes > largest)
            break;
        printf("point\t%zu", bytes);
        for (long what = 0; what < 3; what++) {
            long order[2] = {what, (long)bytes};
            MPI_Send(order, 2, MPI_LONG, other, GO, MPI_COMM_WORLD);
            if (what == 0)
                measure_rounds(other, bytes);
            else if (what == 1)
                measure_receives(other, bytes);
            else
                measure_bursts(other, bytes);
        }
        int waits = is_waiting(other, bytes);
        printf("\t%d\n", waits);
        if (waits && !was_waiting && bytes)
            find_threshold(other, last_eager, bytes);
        was_waiting |= waits;
        last_eager = waits ? last_eager : bytes;
        fflush(stdout);
    }
    long order[2] = {-1, 0};
    MPI_Send(order, 2, MPI_LONG, other, GO, MPI_COMM_WORLD);
}

/* --- the partner --- */

static void answer(long what, size_t bytes)
{
    int count = samples_of(bytes);
    if (what == 0)
        for (int i = -5; i < count; i++) {
            receive_from(0, bytes, DATA);
            send_to(0, bytes, DATA);
        }
    else if (what == 1)
        for (int i = 0; i < count / 4; i++) {
            receive_from(0, 0, GO);
            send_to(0, bytes, DATA);
        }
    else if (what == 2)
        for (int i = 0; i < count / 20; i++) {
            for (int k = 0; k < BURST; k++)
                receive_from(0, bytes, DATA);
            send_to(0, 0, GO);
        }
    else if (what == 3)
        for (int i = 0; i < LATE; i++) {
            receive_from(0, 0, GO);
            spin(delay);
            receive_from(0, bytes, DATA);
            send_to(0, 0, GO);
        }
}

static void serve(void)
{
    for (;;) {
        int is_there = 0;
        MPI_Status status;
        while (MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status), !is_there)
            usleep(2000);
        if (status.MPI_TAG == DONE)
            break;
        for (;;) {
            long order[2];
            MPI_Recv(order, 2, MPI_LONG, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (order[0] < 0)
                break;
            answer(order[0], (size_t)order[1]);
        }
    }
    receive_from(0, 0, DONE);
}

static struct place find_place(void)
{
    struct place place = {.processor = sched_getcpu()};
    cpu_set_t set;
    place.is_bound = !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) == 1;
    int length;
    char path[100], name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    MPI_Get_processor_name(name, &length);
    snprintf(place.host, sizeof place.host, "%.200s", name);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
             place.processor);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &place.package) != 1)
        place.package = 0;
    if (file)
        fclose(file);
    return place;
}

static int distance(const struct place *one, const struct place *other)
{
    return strcmp(one->host, other->host) ? 2 : one->package != other->package;
}

static int is_shared(const struct place *one, const struct place *other)
{
    return !strcmp(one->host, other->host) && one->processor == other->processor && one->is_bound &&
           other->is_bound;
}

static void give_order(const struct place *places, int ranks, long what)
{
    long order[2] = {what, 0};
    for (int i = 1; i < ranks; i++)
        if (is_shared(&places[0], &places[i]))
            MPI_Send(order, 2, MPI_LONG, i, GO, MPI_COMM_WORLD);
}

/* With the first of the ranks that share rank 0's processor; the others look for their next order meanwhile. */
static void measure_turns(const struct place *places, int ranks)
{
    int partner = 0, sharing = 1;
    for (int i = ranks - 1; i > 0; i--)
        if (is_shared(&places[0], &places[i])) {
            partner = i;
            sharing++;
        }
    if (!partner)
        return;
    give_order(places, ranks, SHARED);
    long order[2] = {0, 8};
    MPI_Send(order, 2, MPI_LONG, partner, GO, MPI_COMM_WORLD);
    printf("shared\t%d", sharing);
    measure_rounds(partner, 8);
    printf("\n");
    give_order(places, ranks, -1);
}

static void direct(const struct place *places, int ranks)
{
    int is_measured[3] = {0};
    double begin = MPI_Wtime();
    for (int i = 0; i < 1000; i++)
        clock_cost = MPI_Wtime();
    clock_cost = (clock_cost - begin) / 1000;
    printf("layout\t1\nclock\t%.4g\n", clock_cost);
    for (int i = 0; i < ranks; i++)
        printf("place\t%d\t%s\t%d\t%d\n", i, places[i].host, places[i].processor, places[i].package);
    for (int i = 1; i < ranks; i++) {
        int far = distance(&places[0], &places[i]);
        if (is_shared(&places[0], &places[i]) || is_measured[far]++)
            continue;
        printf("pair\t%d\t%d\n", i, far);
        measure(i);
    }
    measure_turns(places, ranks);
    for (int i = 1; i < ranks; i++)
        send_to(i, 0, DONE);
    printf("end\n");
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    largest = count > 1 ? strtoul(words[1], NULL, 10) : 4u << 20;
    buffer = malloc(largest * 2 + 64);
    struct place own = find_place(), *places = calloc((size_t)ranks, sizeof *places);
    if (!buffer || !places)
        return 1;
    memset(buffer, 1, largest * 2 + 64);
    MPI_Gather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!rank && ranks < 2)
        printf("alone\n");
    else if (!rank)
        direct(places, ranks);
    else
        serve();
    free(places);
    free(buffer);
    MPI_Finalize();
    return 0;
}
