/* What Assay and its simulator say to each other: lines of words, with a tab between two of them, through
   the simulator's standard streams. Times are seconds since the simulation began, numbers as %.17g.

   The simulator begins with a line for each host and `ready`. Then Assay gives orders; only `links` and `advance`
   are answered, `advance` by the events that happened on the way and at last by `now`. The simulation stands still between
   that and the next `advance`. The end of its input ends the simulator. */
#ifndef RUNTIME_SIMGRID_LINES_FILE_H
#define RUNTIME_SIMGRID_LINES_FILE_H

enum { SIMULATOR_LAYOUT = 3 };

/* From the simulator, at its beginning: */
#define SIMULATOR_HOST "host"   /* NAME PROCESSORS FLOPS up|down tasks|files [BYTES of memory] */
#define SIMULATOR_READY "ready" /* LAYOUT */

/* To the simulator: */
#define SIMULATOR_START                                                                                      \
    "start"                   /* TAG FLOPS PLACES (HOST PROCESSORS)… FILES (HOST BYTES)…; the amount is  \
                                 for each of the processors; HOST of a file: where it is, empty for          \
                                 the common file system */
#define SIMULATOR_KILL "kill" /* TAG */
#define SIMULATOR_ROUTES "routes" /* how far it is from the home to each other host */
#define SIMULATOR_LINKS "links" /* HOST HOST: answered at once, by `links` */
#define SIMULATOR_ADVANCE "advance" /* TIME: to then, or to the next event */

/* From the simulator, as answers: `links` LATENCY COUNT (NAME BANDWIDTH shared|wide)…; of a wide one each flow
   has all */
#define SIMULATOR_WIDE "wide"
#define SIMULATOR_BEGUN "begun" /* TAG TIME: its files are there, it computes */
#define SIMULATOR_DONE "done"   /* TAG TIME */
#define SIMULATOR_LOST "lost"   /* TAG TIME WHY */
#define SIMULATOR_UP "up"       /* HOST TIME */
#define SIMULATOR_DOWN "down"   /* HOST TIME */
#define SIMULATOR_ROUTE "route" /* HOST BYTES_PER_SECOND LATENCY */
#define SIMULATOR_NOW "now"     /* TIME */
#define SIMULATOR_ERROR "error" /* TEXT: an order that cannot be followed; the simulator ends */

/* A host with <prop id="assay" value="files"/> in the platform is the common file system: no task runs
   there. <prop id="memory" value="64000000000"/> is a host's memory in bytes. */
#define SIMULATOR_ROLE_PROPERTY "assay"
#define SIMULATOR_ROLE_FILES "files"
#define SIMULATOR_MEMORY_PROPERTY "memory"
#endif
