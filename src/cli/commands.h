/* What each command runs: one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "cli/options.h"

command_function command_db, command_sql, command_lua, command_list, command_show, command_asm, command_graph,
    command_analyses, command_analysis, command_bounds, command_cycles, command_bench, command_report,
    command_diff, command_check, command_ui, command_denormals, command_probe, command_run, command_counters,
    command_cc, command_codelet, command_machines, command_recover, command_predict, command_explore,
    command_lsp, command_optimise, command_schedule, command_forecast, command_model, command_help,
    command_version, command_generate;
#endif
