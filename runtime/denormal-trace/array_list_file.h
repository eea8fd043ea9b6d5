/* The list of arrays that Assay hands to the tracer: text, a line for each thing, words separated by single
   blanks, numbers in decimal unless said otherwise.  Lines are in this order:

     assay-arrays 1
     module PATH
     function LOW HIGH NAME
     saved LOW HIGH REGISTER OFFSET …
     variable ROW KIND NAME
     place LOW HIGH HOW REGISTER VALUE
     data INDIRECT TARGET_BYTES HOW OFFSET VALUE_BYTES ELEMENT_BYTES RANK DIMENSION… ELEMENT\tNAME
     part OFFSET BYTES VALUE_BYTES ELEMENT_BYTES INTEGERS ELEMENT\tNAME

   - module: a file of the program; what follows belongs to it.
   - function: addresses as in the file, hexadecimal; HIGH is after the last byte.  Functions of a module are
   in order of their addresses.  Variables that follow belong to the function; "function 0 0 -" comes first,
   for those that belong to none.
   - saved: between LOW and HIGH of the function's code, the caller's registers (DWARF numbers) lie so many
   bytes from the call frame address; a register that no such line names is left alone there.
   - variable: ROW is its number in Assay's tables; KIND a letter, see array_list_kind.
   - place: where the variable is while the program is between LOW and HIGH (hexadecimal; 0 0: always).
   - data: the floating-point data that the variable is, holds or leads to.  A variable has one line or
   several.

   - part: of the data before it, which the user has divided: BYTES (0: all that follow) from OFFSET are an array of
   their own.  INTEGERS 1: of integers.  Parts ascend and do not overlap.

   HOW of a place:
     - a: at the address VALUE of the file
     - f: VALUE bytes from the call frame address
     - b: VALUE bytes from the register
     - r: the value itself is in the register
     - A, F, B: as their small letters, but what is there is a pointer to the variable

   INDIRECT of data is -1, or the offset in the variable of a pointer to a structure of TARGET_BYTES; OFFSET
   counts from the start of the variable, or of that structure.  HOW of data:
     - a: lies at OFFSET itself
     - p: a pointer at OFFSET leads to it
     - s: the same, to structures that hold numbers among others
     - d: a descriptor of gfortran at OFFSET leads to it: allocatable, or a parameter
     - e: the same of a pointer array
     - q: a pointer at OFFSET leads to pointers, which lead to it (rows)
     - t: TARGET_BYTES of pointers lie at OFFSET, which lead to it

   DIMENSION: elements, the fastest first; 0: unknown.  RANK 0: unknown.  ELEMENT is the name of the type and
   may hold blanks; NAME is that of variable and members, such as grid.velocity. */
#ifndef RUNTIME_DENORMAL_TRACE_ARRAY_LIST_FILE_H
#define RUNTIME_DENORMAL_TRACE_ARRAY_LIST_FILE_H

#define ARRAY_LIST_FIRST_LINE "assay-arrays 1"

/* KIND of a variable. */
enum array_list_kind {
    ARRAY_LIST_GLOBAL = 'g',
    ARRAY_LIST_STATIC = 's',
    ARRAY_LIST_COMMON = 'c',
    ARRAY_LIST_LOCAL = 'l',
    ARRAY_LIST_PARAMETER = 'p'
};

enum { ARRAY_LIST_DIMENSIONS = 7, ARRAY_LIST_NAME = 200, ARRAY_LIST_SAVED = 16 };
#endif
