/* Phases: the time between two marks; and parts of them, which are written in case the program is killed.

   A mark comes from the program (a request, include/assay/denormals.h; the preloaded library makes one of
   SIGUSR1 too) or from the clock.  It ends the current phase, which is written at once, and begins the next.
   The time before the first mark is a phase as well, unless nothing happened in it. */
#include "arrays.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

/* Each phase has its own counts and maps in the recording. */
enum { MOST_PHASES = 10000, MOST_NAME = 64 };
enum { REQUEST_PHASE = 1 };

static UInt phase_count;
static HChar name_of_phase[MOST_NAME] = "start";
static UInt start_of_phase; /* milliseconds */

/* A part is written when so much time went by that a killed program would be missed: milliseconds, at any
   time and before a system call, which may be its last and wait for ever; and so long that it does not
   matter how long the last part took. */
enum { PART_MILLISECONDS = 1000, PART_BEFORE_CALL = 100, PART_SHARE = 20 };
static UInt end_of_part, part_took;

static void next_phase(const HChar *name)
{
    UInt now = VG_(read_millisecond_timer)();
    if (phase_count == MOST_PHASES) {
        limit_add("marks that did not begin a phase, because there were too many", 1);
        return;
    }
    phase_count++;
    recording_phase(name_of_phase, start_of_phase, now);
    end_of_part = now;
    VG_(strncpy)(name_of_phase, name, MOST_NAME - 1);
    name_of_phase[MOST_NAME - 1] = 0;
    start_of_phase = now;
}

static void write_part(UInt least)
{
    UInt now = VG_(read_millisecond_timer)();
    if (now - end_of_part < least || (least && now - end_of_part < PART_SHARE * part_took))
        return;
    recording_part(name_of_phase, start_of_phase, now);
    end_of_part = VG_(read_millisecond_timer)();
    part_took = end_of_part - now;
}

void phases_last(void)
{
    UInt now = VG_(read_millisecond_timer)();
    recording_phase(name_of_phase, start_of_phase, now);
    start_of_phase = now;
}

void phases_start(void)
{
    start_of_phase = end_of_part = VG_(read_millisecond_timer)();
    phase_count = 0;
}

/* A text of the program: whatever the address, only what can be read is. */
static void copy_name(Addr from, HChar *name)
{
    UInt length = 0;
    for (; length < MOST_NAME - 1; length++)
        if (!naming_read(from + length, name + length, 1) || name[length] == 0)
            break;
    name[length] = 0;
    for (UInt i = 0; i < length; i++)
        if ((UChar)name[i] < ' ')
            name[i] = ' ';
}

static Bool handle_request(ThreadId thread, UWord *words, UWord *result)
{
    HChar name[MOST_NAME];
    (void)thread;
    if (!VG_IS_TOOL_USERREQ('A', 'S', words[0]) || (words[0] & 0xffff) != REQUEST_PHASE)
        return False;
    copy_name(words[1], name);
    next_phase(name);
    *result = 1;
    return True;
}

static void slice_begins(ThreadId thread, ULong blocks_done)
{
    (void)thread;
    (void)blocks_done;
    arrays_refresh();
    write_part(PART_MILLISECONDS);
    if (settings.phase_milliseconds &&
        VG_(read_millisecond_timer)() - start_of_phase >= settings.phase_milliseconds) {
        HChar name[MOST_NAME];
        VG_(snprintf)(name, sizeof name, "tick %u", phase_count + 1);
        next_phase(name);
    }
}

/* Valgrind does not tell its tools the exit status: it is what the program says last. */
static Int exit_status;

Int phases_exit_status(void)
{
    return exit_status;
}

/* It sends SIGKILL to somebody, and that may be itself. */
static Bool is_killing(UInt number, const UWord *words, UInt count)
{
    UInt place = number == __NR_tgkill ? 2 : 1;
    return (number == __NR_kill || number == __NR_tkill || number == __NR_tgkill) && count > place &&
           words[place] == VKI_SIGKILL;
}

static void call_begins(ThreadId thread, UInt number, UWord *words, UInt count)
{
    (void)thread;
    if (number == __NR_exit_group && count > 0)
        exit_status = (Int)(words[0] & 0xff);
    if (number == __NR_execve || number == __NR_execveat) /* the tool has no other chance */
        recording_before_exec();
    else
        write_part(is_killing(number, words, count) ? 0 : PART_BEFORE_CALL);
}

static void call_ended(ThreadId thread, UInt number, UWord *words, UInt count, SysRes result)
{
    (void)thread;
    (void)number;
    (void)words;
    (void)count;
    (void)result;
}

void phases_initialise(void)
{
    VG_(needs_syscall_wrapper)(call_begins, call_ended);
    VG_(needs_client_requests)(handle_request);
    VG_(track_start_client_code)(slice_begins);
}
