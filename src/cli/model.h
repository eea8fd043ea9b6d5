/* assay model: one function for each of its words. */
#ifndef CLI_MODEL_H
#define CLI_MODEL_H
#include "cli/options.h"

enum {
    MODEL_STOPPED = 130
}; /* exit code after Ctrl-C, as in shells: the answer is partial, or there is none */

command_function model_run, model_sweep, model_check, model_coupling, model_import, model_measure_network,
    model_fit_command, model_from, model_pepa;
#endif
