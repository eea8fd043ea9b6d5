/* Threads and ranks: whether all of them work, and what the others wait for.  A thread that hardly ran (a
   helper of a library) is left out of the mean. */
#include "show/report/run/parts.h"

#include "base/path.h"
#include "show/report/common/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double IDLE = 0.05;  /* of the busiest thread's time */
static const double EVEN = 1.1;   /* the busiest over the mean */
static const double WORTH = 0.01; /* shares below it are not said */

static double positive(double number)
{
    return number > 0 && isfinite(number) ? number : 0;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct run_rank *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct run_rank *rank_at(struct array *ranks, int32_t rank)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (ARRAY_AT(struct run_rank, ranks, i)->rank == rank)
            return ARRAY_AT(struct run_rank, ranks, i);
    struct run_rank *new = array_add(ranks);
    new->rank = rank;
    return new;
}

struct array run_find_ranks(const struct run_report *report)
{
    const struct model *model = report->model;
    struct array ranks = ARRAY_OF(struct run_rank);
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *thread = model_run_thread(model, id);
        const struct run_process *process = model_run_process(model, thread->process);
        if (process->run != report->view->run || process->rank == NO_NUMBER)
            continue;
        struct run_rank *rank = rank_at(&ranks, process->rank);
        rank->cpu += positive(thread->cpu_seconds);
        rank->mpi += positive(thread->mpi_seconds);
        rank->waiting += positive(thread->waiting_seconds);
        rank->threads++;
    }
    if (ranks.count)
        qsort(ranks.data, ranks.count, ranks.width, compare_ranks);
    return ranks;
}

/* The MPI call with the most time; NULL: unknown. */
static const char *mpi_call(const struct run_report *report)
{
    const struct model *model = report->model;
    const char *best = NULL;
    double most = 0;
    for (uint32_t id = 1; id < model->run_functions.count; id++) {
        const struct run_function *row = model_run_function(model, id);
        const char *name =
            model_text(model, row->function ? model_function(model, row->function)->name : row->name);
        bool is_call = name && (!strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5));
        if (row->run != report->view->run || !is_call || !(row->total_seconds > most))
            continue;
        most = row->total_seconds;
        best = name + (*name == 'P');
    }
    return best;
}

static void say_ranks(const struct run_report *report, const struct array *ranks, struct array *sentences)
{
    const struct run_rank *busiest = NULL;
    double all = 0, most = -1, others_mpi = 0, others_cpu = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        const struct run_rank *rank = ARRAY_AT(struct run_rank, ranks, i);
        double computing = rank->cpu - rank->mpi;
        all += computing;
        if (computing > most) {
            most = computing;
            busiest = rank;
        }
    }
    for (size_t i = 0; i < ranks->count; i++) {
        const struct run_rank *rank = ARRAY_AT(struct run_rank, ranks, i);
        if (rank == busiest)
            continue;
        others_mpi += rank->mpi;
        others_cpu += rank->cpu;
    }
    double mean = all / (double)ranks->count;
    double waited = others_cpu > 0 ? others_mpi / others_cpu : 0;
    const char *call = mpi_call(report);
    autofree char *times = run_figure(mean > 0 ? most / mean : 1);
    const char *more = call && waited >= WORTH ? ": " : "", *name = call && waited >= WORTH ? call : "";
    if (mean > 0 && most > EVEN * mean)
        sentences_say(
            sentences,
            memory_format("Rank %d computes %s times as long as the mean of %zu ranks; the other%s %s "
                          "%% of %s processor time in MPI calls%s%s.",
                          busiest->rank, times, ranks->count, ranks->count > 2 ? "s spend" : " spends",
                          share_words(waited).text, ranks->count > 2 ? "their" : "its", more, name));
    else
        sentences_say(sentences,
                      memory_format("The %zu ranks compute equally long (the longest %s times the "
                                    "mean), and spend %s %% of their processor time in MPI calls%s%s.",
                                    ranks->count, times, share_words(waited).text, more, name));
}

/* With ranks, threads of different ranks are not compared. */
static void say_threads(const struct run_report *report, bool has_ranks, struct array *sentences)
{
    const struct model *model = report->model;
    size_t working = 0;
    double most = 0, all = 0, waited = 0, shared = 0;
    const struct run_thread *busiest = NULL;
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *thread = model_run_thread(model, id);
        if (model_run_process(model, thread->process)->run != report->view->run)
            continue;
        waited += positive(thread->parallel_wait_seconds);
        shared += positive(thread->cpu_seconds);
        if (positive(thread->cpu_seconds) - positive(thread->parallel_wait_seconds) > most) {
            most = positive(thread->cpu_seconds) - positive(thread->parallel_wait_seconds);
            busiest = thread;
        }
    }
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *thread = model_run_thread(model, id);
        double computing = positive(thread->cpu_seconds) - positive(thread->parallel_wait_seconds);
        bool is_other = model_run_process(model, thread->process)->run != report->view->run;
        if (is_other || computing < IDLE * most)
            continue;
        working++;
        all += computing;
    }
    if (working > 1 && !has_ranks) {
        double mean = all / (double)working;
        autofree char *times = run_figure(most / mean);
        sentences_say(sentences,
                      most > EVEN * mean
                          ? memory_format("%zu threads compute: thread %u %s times as long as the mean.",
                                          working, busiest->thread, times)
                          : memory_format("%zu threads compute equally long (the longest %s times the mean).",
                                          working, times));
    } else if (!has_ranks && most > 0) {
        sentences_say(sentences, memory_format("One of the %u threads does nearly all of the work.",
                                               report->run->threads));
    }
    if (shared > 0 && waited / shared >= WORTH)
        sentences_say(sentences,
                      memory_format("OpenMP: %s %% of the processor time is spent waiting in its runtime "
                                    "(barriers, ends of loops, the next parallel region).",
                                    share_words(waited / shared).text));
}

void run_say_balance(const struct run_report *report, struct array *sentences)
{
    struct array ranks = run_find_ranks(report);
    if (ranks.count > 1)
        say_ranks(report, &ranks, sentences);
    if (report->run->threads > report->run->processes)
        say_threads(report, ranks.count > 1, sentences);
    array_free(&ranks);
}
