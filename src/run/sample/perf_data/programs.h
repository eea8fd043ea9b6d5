/* Where the programs of a recording lie here.

   With a build-id only a file that has it will do: at its path, in the folder that the user named, beside the
   recording, in the current folder, in perf's cache (~/.debug) or debuginfod's.  Without one, the path decides, if the
   file is older than the recording and the recording was made on this computer; what lies in the folder that the user
   named is believed. */
#ifndef RUN_SAMPLE_PERF_DATA_PROGRAMS_H
#define RUN_SAMPLE_PERF_DATA_PROGRAMS_H
#include "run/sample/code_files.h"
#include "run/sample/perf_data/header.h"

struct perf_data_programs {
    const struct perf_data_header *header;
    /* Absolute; NULL: none. */
    char *folder;            /* that the user named */
    char *beside;            /* folder of the recording, unless it came through a pipe */
    char *here;              /* the current folder */
    struct timespec changed; /* the recording; 0: now */
    bool is_from_here;       /* by the name of the computer */
    struct code_finder finder;
};
void perf_data_programs_begin(struct perf_data_programs *programs, const struct perf_data_header *header,
                              const char *path, const char *folder, const struct perf_data_bytes *bytes);
void perf_data_programs_end(struct perf_data_programs *programs);
#endif
