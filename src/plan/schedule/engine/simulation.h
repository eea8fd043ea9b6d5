/* The simulator as a process: orders go to it, lines come back (runtime/simgrid/lines_file.h has the words).

   SimGrid ends its process when it dislikes something; then the error is what it wrote last. */
#ifndef PLAN_SCHEDULE_ENGINE_SIMULATION_H
#define PLAN_SCHEDULE_ENGINE_SIMULATION_H
#include "base/error.h"
#include "base/memory.h"
#include "base/memory_file.h"

#include <stdio.h>
#include <sys/types.h>

struct simulation {
    pid_t process;
    int socket;                  /* its standard input and output */
    struct memory_file messages; /* its standard error */
    FILE *answers;
    struct array orders; /* of char: not sent yet */
    char *line;
    size_t room;
    char *platform;
};

/* program: the file of the simulator.  simulation_end in any case, also after a failure. */
bool simulation_begin(struct simulation *simulation, const char *program, const char *platform,
                      struct error *error);
void simulation_end(struct simulation *simulation);
/* Words, with a tab before each but the first; %s without tabs and lines. */
void simulation_order(struct simulation *simulation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool simulation_send(struct simulation *simulation, struct error *error);
/* The next line without its end, to be taken apart by simulation_word; NULL: the simulator has ended. */
char *simulation_line(struct simulation *simulation, struct error *error);
char *simulation_word(char **rest); /* the next; empty where there is none */
#endif
