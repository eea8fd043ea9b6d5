/* Loops that are computed on demand: those of one function, on any machine.

   A database has the code of a program, and a page about a loop needs cycles and advice for the machine that
   the reader chooses.  A workshop keeps what is the same for all of them (the functions, loops and files of
   the program, names by address, machine files) and reads the code of a function when a page asks for it.

   One visitor at a time: everything in a visit belongs to the workshop, may be read until workshop_leave,
   and is gone then.  So a page enters, writes its answer, and leaves. */
#ifndef SHOW_UI_WORKSHOP_H
#define SHOW_UI_WORKSHOP_H
#include "code/cost/loops.h"
#include "show/report/common/places.h"
#include "show/report/quality/quality.h"
#include "show/ui/request.h"

struct workshop;

struct workshop_visit {
    struct workshop *workshop;
    struct model
        *model; /* with the code of the function; all ids but those of encodings are the database's */
    struct places *places;
    uint32_t function, loop;
    const char *machine_name;      /* NULL: the usual one */
    const struct machine *machine; /* of these loops; NULL: there is none for this code */
    bool is_host;                  /* it is this computer's */
    struct loop_machines machines;
    /* The innermost loops (view.loops, in the order of ids), as reports take them. */
    struct quality_view view;
    size_t left_out;                  /* loops that are not among them: there are too many */
    const struct ui_request *request; /* NULL: there is none */
};

/* For the subject, which stays valid. */
struct workshop *workshop_open(const struct ui_options *options, const struct ui_subject *subject);
/* Begins to read, in a thread of its own. */
void workshop_read_early(struct workshop *workshop);
/* Reads what all visits need, here and now. */
bool workshop_read(struct workshop *workshop, struct error *error);
void workshop_close(struct workshop *workshop);
const char *workshop_database(const struct workshop *workshop);

/* Reads innermost loops of the request's program: the loop, or those inside it; loop 0: all of the
   function (function 0: the loop's own).  machine: a name; NULL: the parameter `machine` of the request,
   else the one that the user chose when the server was started, else the usual one.  An unknown id is an
   error with the status 404, an unknown machine one with 400.  false: nothing is to be left. */
bool workshop_enter(struct ui_request *request, struct ui_answer *answer, uint32_t function, uint32_t loop,
                    const char *machine, struct workshop_visit *visit, struct error *error);
/* Fills the tables of the report: cycles and advice of the loops of the visit; metrics and rules in Lua are
   another matter (judging.h). */
void workshop_analyse(struct workshop_visit *visit);
/* Only a machine that runs code of this instruction set, by its name as above: visit->machine, and no model.
 */
bool workshop_enter_machine(struct ui_request *request, struct ui_answer *answer, enum isa isa,
                            const char *machine, struct workshop_visit *visit, struct error *error);
void workshop_leave(struct workshop_visit *visit);
/* <h1> with what plan.js needs to know of the function. */
void workshop_print_heading(const struct workshop_visit *visit, FILE *out);

/* The same for somebody who has the workshop for himself and has
   named a machine, or NULL. There is nothing to leave. */
bool workshop_look(struct workshop *workshop, uint32_t function, uint32_t loop, const char *machine,
                   struct workshop_visit *visit, struct ui_answer *answer, struct error *error);
#endif
