/* A machine in the words of machine files. */
#ifndef CODE_MACHINE_WRITE_H
#define CODE_MACHINE_WRITE_H
#include "code/machine/machine.h"

#include <stdio.h>

/* The whole file: read again, it is the same machine.  Forms that came from the machine that it is `like` are
   written with the others, and the fact itself is not; it is where they were not taken (machine_parse). Facts
   and forms of one source stand together, after their line `from`. */
void machine_write(const struct machine *machine, FILE *out);
/* Its facts alone, without those that describe it: its name, and what its processor calls itself. */
void machine_write_facts(const struct machine *machine, FILE *out);
/* Its forms of one source. */
void forms_write(const struct machine *machine, machine_source source, FILE *out);
bool forms_have(const struct machine *machine, machine_source source);
/* Its forms by their texts: of const struct machine_form *; to be freed. */
struct array machine_forms_in_order(const struct machine *machine);

/* The values of a line of the core by its row in core_rows: of a member alone, or, for core_OTHER, of a whole
   line of its word, of which there may be several, from 0.  False where there is none: the fact is not known.
 */
bool core_write_value(const struct machine *machine, const struct core_row *row, unsigned line, FILE *out);

/* The words of a form other than exceptions to its latency, each after a blank.  columns: without
   uops, ports and latency, which tables have columns for. */
void form_write_words(const struct machine *machine, const struct machine_form *form, bool columns,
                      FILE *out);
/* Its exceptions, FROM>TO=CYCLES, with blanks between them. */
void form_write_exceptions(const struct machine *machine, const struct machine_form *form, FILE *out);
/* Its µops over ports: `p01+2*p5`. */
void form_write_ports(const struct machine *machine, struct form_run run, FILE *out);
/* p and the names of ports */
void machine_write_ports(const struct machine *machine, uint32_t ports, FILE *out);
/* 48K, 32M */
void machine_write_size(uint64_t bytes, FILE *out);
/* As short as it can be to be read as the same number. */
void machine_write_number(double value, FILE *out);
/* The same for the figures of forms, which have less precision. */
void machine_write_cycles(float value, FILE *out);
#endif
