/* What an object file with nodes carries, and what the runtime copies into the recording.

   Nodes are probes that stand in the assembly text (src/run/probe/nodes/nodes.c); the program is linked with
   the runtime, and there is no plan file.  So each object describes its subjects itself:

     .note.assay     a note for each object (struct probe_node_note behind the name), which the linker puts
                     into a segment PT_NOTE: the runtime finds the notes of every loaded file by
                     dl_iterate_phdr
     assay_probes    the table: struct probe_node_table, its subjects, their texts.  It has no addresses, so
                     that the runtime copies it into a segment PROBE_SEGMENT_SUBJECTS as it is
     .data           the base: a word of 4 bytes, 16 * (number of the object's first subject), which nodes add
                     to the identity of each event.  It is PROBE_NODE_UNKNOWN until the runtime sets it;
                     events with that identity belong to no subject and are passed over

   Nodes use these symbols of the runtime, which it exports:

     assay_probe_position   thread-local (initial-exec), PROBE_POSITION of plan_file.h
     assay_probe_full       PROBE_ENTRY_FULL: changes no register but those that plan_file.h names
     assay_probe_begin      void (void), called at the label of main: starts the runtime where its constructor
                            has not (static programs)

   IA-64: the position is reached by @tprel in instructions, so nodes are for programs and not for shared libraries.
   Both routines are called by `br.call b6 = b7`, and keep everything but those and ar.pfs
   (runtime/probe-ia64).

   Texts are offsets from the start of the table, and end with 0; offset 0 is no text. */
#ifndef RUNTIME_PROBE_NODES_FILE_H
#define RUNTIME_PROBE_NODES_FILE_H
#include "runtime/probe/plan_file.h"

#define PROBE_NODE_NOTE_SECTION ".note.assay"
#define PROBE_NODE_NOTE_NAME "Assay" /* with its 0: 6 bytes */
enum { PROBE_NODE_NOTE_TYPE = 1, PROBE_NODE_VERSION = 1 };
#define PROBE_NODE_UNKNOWN 0x80000000u

struct probe_node_note {
    int32_t table,
        base; /* distances from this structure's start to the table, and to the word with the base */
};

struct probe_node_table {
    uint64_t size; /* with the subjects and texts; a multiple of 8 */
    uint32_t version, isa;
    uint32_t subject_count;
    uint32_t listing; /* text: the file that the nodes were put into */
};

/* What a subject is; the same as src/run/probe/plan/plan.h. */
enum probe_node_kind {
    PROBE_NODE_FUNCTION = 0,
    PROBE_NODE_LOOP = 1,
    PROBE_NODE_CALL = 2,
    PROBE_NODE_PARAMETER = 3,
    PROBE_NODE_AT = 4,
    PROBE_NODE_ACCESS = 5,
};

struct probe_node_subject {
    struct probe_plan_subject how;
    uint8_t kind;             /* enum probe_node_kind */
    uint8_t counting;         /* LOOP: enum probe_counted_by of src/run/probe/plan/plan.h */
    uint16_t position;        /* PARAMETER: from 1 */
    uint32_t function;        /* text: the function that it is in */
    uint32_t name;            /* text: of the parameter, register or variable; CALL: of what is called */
    uint32_t file;            /* text: source file, or the listing where no source is known */
    uint32_t line, last_line; /* in that file; 0: unknown.  last_line: of a loop */
    uint32_t listing_line;    /* in the listing without nodes */
    uint32_t loop;            /* LOOP, ACCESS: number of the loop in the function, from 1 */
};
#endif
