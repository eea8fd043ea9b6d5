/* The kernel's samples: what its parts share.

   perf_open.c opens events on processes, a ring for each processor, all events of a processor into its ring;
   perf_ring.c takes records out of the rings, in the order of time; perf_records.c reads records and feeds
   the collector. */
#ifndef RUN_SAMPLE_PERF_PARTS_H
#define RUN_SAMPLE_PERF_PARTS_H
#include "run/sample/collector.h"
#include "run/sample/sampler.h"

#include <linux/perf_event.h>

/* perf_ring.c */
enum { PERF_LARGEST_RECORD = 1 << 16 };
struct perf_ring {
    struct perf_event_mmap_page *page; /* NULL: none */
    const uint8_t *data;
    uint64_t size, mapped;           /* bytes; a power of two; all that is mapped */
    uint64_t head, tail;             /* read up to tail; head as the kernel last gave it */
    uint8_t *straight;               /* copy of a record that goes round the end of the ring */
    uint64_t time;                   /* of the first record */
    uint64_t throttled_at;           /* 0: samples come */
    struct perf_event_header *first; /* record that comes next; NULL: none */
};
/* How records of all events are laid out: their sample_type and registers are the same. */
struct perf_layout {
    uint64_t sample_type;
    uint64_t registers; /* mask */
};
/* data_size must be a power of two.  false: errno says why. */
bool perf_ring_map(struct perf_ring *ring, int descriptor, size_t data_size);
/* For memory that is laid out as the kernel does it. */
void perf_ring_begin(struct perf_ring *ring, struct perf_event_mmap_page *page, const uint8_t *data,
                     uint64_t size);
void perf_ring_unmap(struct perf_ring *ring);
/* Hands on all records before `end` (nanoseconds), the oldest of all rings first.  `lost` counts rings that
   made no sense: what they had is skipped. */
typedef void perf_record_handler(void *context, struct perf_ring *ring,
                                 const struct perf_event_header *record);
void perf_rings_read(struct perf_ring *rings, size_t count, const struct perf_layout *layout, uint64_t end,
                     perf_record_handler *handle, void *context, uint64_t *lost);

/* perf_records.c */
/* Which event of which thread has an id. */
struct perf_identity {
    uint64_t id;
    uint32_t thread; /* that it was opened for; children and new threads inherit it */
    uint16_t event;
};
/* Records become calls of the collector. */
struct perf_stream {
    struct collector *collector;
    struct perf_layout layout;
    const struct array *identities; /* of struct perf_identity, in order of id */
    /* Of uint32_t, in order: threads with events of their own.  A thread that appeared while events were
       opened may have inherited events, too: those do not count. */
    const struct array *threads;
    uint64_t start;       /* nanoseconds; time 0 of the recording */
    double frequency;     /* of time, to know what throttling lost */
    uint64_t lost;        /* samples */
    struct array samples; /* of uint64_t: samples of each event */
};
/* 0: the record has none. */
uint64_t perf_record_time(const struct perf_layout *layout, const struct perf_event_header *record);
/* A perf_record_handler; the context is a struct perf_stream. */
void perf_record_read(void *stream, struct perf_ring *ring, const struct perf_event_header *record);
/* What is asked of the kernel so that callers can be found. */
uint64_t perf_registers_mask(void);

/* perf_open.c */
struct perf_descriptor {
    int file;
    uint16_t event;
    uint16_t processor; /* place of its ring */
};
struct perf_events {
    const struct sampler_options *options;
    struct perf_event_attr attribute; /* of time; others differ in type, period and stack */
    struct perf_layout layout;
    double frequency;
    uint8_t source; /* enum sample_source */
    bool has_kernel;
    bool is_refused;          /* the kernel lets us take no samples at all: the error says why */
    struct array descriptors; /* of struct perf_descriptor */
    struct array processors;  /* of int: numbers of processors, one for each ring */
    struct array rings;       /* of struct perf_ring */
    struct array identities;  /* of struct perf_identity, in order of id */
    struct array threads;     /* of uint32_t, in order */
    uint64_t most_files;      /* limit of open files before we raised it */
};
/* Opens events on a thread and the rings.  is_waiting: the process waits to become a program, and counting
   begins then; else it begins at once. */
bool perf_events_open(struct perf_events *events, const struct sampler_options *options, uint32_t thread,
                      bool is_waiting, struct error *error);
/* Another thread into the same rings.  true for one that ended meanwhile, and for one that is known. */
bool perf_events_add(struct perf_events *events, uint32_t thread, struct error *error);
void perf_events_stop(struct perf_events *events);
/* What was counted since. */
struct perf_total {
    double count, running, enabled; /* seconds, of processor time */
};
struct perf_total perf_events_total(const struct perf_events *events, uint16_t event);
/* Of any state that perf_events_open left. */
void perf_events_close(struct perf_events *events);

/* perf_anchors.c: keeps processes that start many short ones in sight. */
enum { PERF_FORKERS = 256, PERF_ANCHORS = 64 };
struct perf_forker {
    uint32_t thread, count; /* processes that it started */
};
struct perf_anchors {
    struct perf_forker forkers[PERF_FORKERS]; /* by the number of the thread, modulo */
    int files[PERF_ANCHORS];                  /* 0: none */
    size_t next; /* place for the next file; the one that is there is the oldest */
};
/* Looks at a record: maybe a process was started. */
void perf_anchors_look(struct perf_anchors *anchors, const struct perf_event_header *record);
void perf_anchors_end(struct perf_anchors *anchors);
#endif
