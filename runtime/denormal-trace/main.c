/* Registers the tracer with Valgrind: its options and its callbacks. */
#include "stretch.h"
#include "trace_file.h"
#include "instrument_block.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

struct settings settings = {.origins = True, .follows_children = True, .log_first = 1};

static const HChar *output = "trace.out.%p";

static Bool process_option(const HChar *option)
{
    Long number;
    if (VG_BOOL_CLO(option, "--origins", settings.origins)) {
    } else if (VG_BINT_CLO(option, "--near", number, 0, 64)) {
        settings.binades = number;
    } else if (VG_BINT_CLO(option, "--phase-milliseconds", number, 0, 1 << 30)) {
        settings.phase_milliseconds = number;
    } else if (VG_STR_CLO(option, "--arrays", settings.arrays)) {
    } else if (VG_STR_CLO(option, "--output", output)) {
    } else if (VG_BOOL_CLO(option, "--follows-children", settings.follows_children)) {
    } else if (VG_BOOL_CLO(option, "--log", settings.log)) {
    } else if (VG_STR_CLO(option, "--log-array", settings.log_array)) {
    } else if (VG_BINT_CLO(option, "--log-around", number, 1, 0xffffffffLL)) {
        settings.log_first = number > TRACE_LOG_MOST / 2 ? (ULong)number - TRACE_LOG_MOST / 2 : 1;
    } else {
        return False;
    }
    return True;
}

static void print_usage(void)
{
    VG_(printf)
    ("    --origins=no|yes            follow denormal values from array to array [yes]\n"
     "    --near=<binades>            also count results within this many binades of the denormals [0]\n"
     "    --phase-milliseconds=<n>    begin a phase every n milliseconds [0: no]\n"
     "    --arrays=<file>             variables to watch, as assay lists them [none]\n"
     "    --output=<file>             recording; %%p stands for the process [trace.out.%%p]\n"
     "    --log=no|yes                record each operation on a denormal (needs --origins) [no]\n"
     "    --log-array=<name>          only those on values of this array [all]\n"
     "    --log-around=<n>            only those around the n-th [the first]\n"
     "    --follows-children=no|yes   set by assay like --trace-children, which tools cannot see [yes]\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    (none)\n");
}

static void options_done(void)
{
    settings.output = output; /* expanded for each process */
    settings.log = settings.log && settings.origins;
    recording_start();
}

static void finish(Int status)
{
    recording_end(status);
}

static void discard(Addr superblock, VexGuestExtents extents)
{
    (void)extents;
    stretches_discard(superblock);
}

static void initialise(void)
{
    VG_(details_name)("denormal-trace");
    VG_(details_version)(NULL);
    VG_(details_description)("a tracer of denormal numbers");
    VG_(details_copyright_author)("Part of Assay; GNU GPL version 3 or later.");
    VG_(details_bug_reports_to)("the authors of Assay");
    VG_(details_avg_translation_sizeB)(600);
    VG_(basic_tool_funcs)(options_done, instrument_block, finish);
    VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
    VG_(needs_superblock_discards)(discard);
    arrays_initialise();
    phases_initialise();
}

VG_DETERMINE_INTERFACE_VERSION(initialise)
