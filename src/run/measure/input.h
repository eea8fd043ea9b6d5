/* Standard input of a second run. */
#ifndef RUN_MEASURE_INPUT_H
#define RUN_MEASURE_INPUT_H
#include "run/measure/measure.h"

/* Sets standard input back to where it was noted.  is_empty: the program gets no input.  false: what the
   first run read is gone. */
bool measure_input_again(const struct measure_input *input, bool *is_empty, struct error *error);
#endif
