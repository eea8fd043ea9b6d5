/* The machines that a page can be computed for: names and titles of all machine files, read once at the
   start. */
#ifndef SHOW_UI_MACHINES_H
#define SHOW_UI_MACHINES_H
#include "code/machine/machine.h"
#include "show/ui/request.h"

struct ui_machine {
    char *name, *title; /* title: NULL if the file has none */
    enum isa isa;
};
struct ui_machines {
    struct array all; /* of struct ui_machine, by name */
    char *host;       /* this computer's, by its whole name: neoverse-v1+nosve; NULL: no file describes it */
    char *host_title;
    enum isa host_isa;
};

struct ui_machines *ui_machines_load(const struct array *folders);
void ui_machines_free(struct ui_machines *machines);

/* The instruction set of the subject's first program, as the machines have it that run it. */
enum isa ui_isa(const struct ui_request *request);
/* `?machine=zen4` for a link, if the address of this page has it; else nothing. */
void ui_print_machine(const struct ui_request *request, FILE *out);
/* A choice of the machines that run the subject's code; the one that the address names is chosen. */
void ui_print_machines(const struct ui_request *request, FILE *out);
#endif
