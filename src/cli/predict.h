/* assay predict: its parts. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H
#include "cli/options.h"

command_function predict_history; /* --history */
#endif
