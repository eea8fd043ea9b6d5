/* The list of arrays that Assay hands to the tracer: text, a line for each thing, words separated by single
   blanks, numbers in decimal unless said otherwise.  Lines are in this order:

     assay-arrays 1
     module PATH                    a file of the program; what follows belongs to it
       function LOW HIGH NAME       addresses as in the file, hexadecimal; HIGH is behind the last byte
         saved LOW HIGH REGISTER OFFSET …
                                    between LOW and HIGH of the function's code, the caller's registers (DWARF
   numbers) lie so many bytes from the call frame address; a function without such lines keeps them all
       variable ROW KIND NAME       ROW: its number in Assay's tables; KIND: a letter, see array_list_kind
         place LOW HIGH HOW REGISTER VALUE
                                    where it is while the program is between LOW and HIGH (0 0: always)
         data INDIRECT TARGET_BYTES HOW OFFSET VALUE_BYTES ELEMENT_BYTES RANK DIMENSION… ELEMENT\tNAME
                                    the floating-point data that it is, holds or leads to

   A variable between a function and the next module or function belongs to that function; "function 0 0 -"
   stands before variables that belong to none.

   HOW of a place:      a  at the address VALUE of the file
                        f  VALUE bytes from the call frame address
                        b  VALUE bytes from the register (DWARF number)
                        r  the value itself is in the register
                        A, F, B  as their small letters, but there is a pointer to the variable
   INDIRECT of data:    -1, or the offset in the variable of a pointer to the structure that OFFSET counts in,
   which has TARGET_BYTES HOW of data:         a  lies at OFFSET itself p  a pointer at OFFSET leads to it s
   the same, to structures that hold numbers among others d  a descriptor of gfortran at OFFSET leads to it:
   allocatable, or a parameter e  the same of a pointer array q  a pointer at OFFSET leads to pointers, which
   lead to it (rows) DIMENSION:           elements, the fastest first; 0: not known.  RANK 0: nothing is
   known. ELEMENT:             name of the type, may hold blanks NAME:                variable and members,
   such as grid.velocity */
#ifndef ARRAY_LIST_FILE_H
#define ARRAY_LIST_FILE_H

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
