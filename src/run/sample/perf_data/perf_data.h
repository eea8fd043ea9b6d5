/* Recordings of `perf record`: read by ourselves, from the published format
   (tools/perf/Documentation/perf.data-file-format.txt of the kernel, and linux/perf_event.h).

   bytes.c       the file by place; a pipe is copied into a file without a name first
   header.c      what stands at the head and at the end of a file, or first in a pipe: events, computer, command
   events.c      events and their names, which event a record belongs to, the one that stands for time
   records.c     records one after the other, packed ones unpacked (unpack.c)
   order.c       in the order of time, as far as the marks between rounds allow
   sample.c      what is in a sample (registers of its computer: registers.c)
   feed.c        records become calls of the collector
   programs.c    where the programs lie here: by path, by build-id in the caches of perf and debuginfod
   branches.c    records of branches: how long iterations took
   finish.c      what stands for time, in seconds; which program of a whole system is reported

   A recording is hostile input.  Sizes are checked against the file before memory is taken; a record that makes no
   sense is counted and left out; what is kept waiting for its turn has a limit (order.c), and so has what packed
   records may grow to (unpack.c).  A recording that was cut short gives what it has.  Byte order is this computer's:
   the other one is refused. */
#ifndef RUN_SAMPLE_PERF_DATA_PERF_DATA_H
#define RUN_SAMPLE_PERF_DATA_PERF_DATA_H
#include "run/sample/recording.h"

struct perf_data_wish {
    const char *path;    /* "-": standard input */
    const char *event;   /* that stands for time; NULL: cycles, else a clock of the kernel */
    const char *command; /* of a recording of a whole system: this program; NULL: the one with most time */
    const char *folder;  /* that has the programs, by path, name or build-id; NULL: none */
};
/* Into an empty recording. */
bool perf_data_read(const struct perf_data_wish *wish, struct sample_recording *recording,
                    struct error *error);
#endif
