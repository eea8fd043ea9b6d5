/* What denormals cost, by kind of instruction: between measure.c, which measures, and costs.c, which asks. */
#ifndef DENORMAL_PENALTIES_H
#define DENORMAL_PENALTIES_H
#include "denormal/kernels.h"

enum penalty_case { penalty_OPERAND, penalty_RESULT, penalty_BOTH, penalty_CASES };

/* "add, float, denormal operand": the text of denormal_penalties.operation; to be freed. */
char *penalty_name(enum kernel_operation operation, enum kernel_type type, bool is_packed,
                   enum penalty_case which);
#endif
