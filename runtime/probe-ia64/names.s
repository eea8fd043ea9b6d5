// The runtime of nodes in IA-64 listings (docs/nodes.md), for Linux: one file for the assembler, linked with the program
// once.  `assay asm --probe-runtime` prints it.
//
// What nodes need is in runtime/probe/nodes_file.h: the thread-local assay_probe_position, and two routines that keep every
// register.  What is left behind is a recording as runtime/probe/record_file.h has it, with one difference: nothing is summarised
// here.  Full buffers are copied to segments of events (PROBE_UNSUMMARISED), which the reader summarises.
//
//   - A thread's position is at the last place of a scrap buffer at first, so its first event comes to assay_probe_full, and the
//     thread gets a buffer.  The scrap buffer is one for all threads: of two first events at the same moment one counts twice,
//     and the other is lost.
//   - The recording grows to `most_bytes`, or to the limit of the process; after that events are counted as lost.
//   - A child of a fork writes into its parent's buffer until that is full, 1,024 events at most, and nothing after that.
//   - Objects with nodes are found in the program itself, not in shared libraries: their events are passed over.
//   - Nothing is called but on_exit, and that only from main's node; a program without it has no exit status in its recording,
//     and its end by .fini_array.
//
// Registers: the two routines of the nodes are called as `br.call b6 = b7` at places where the program expects nothing to
// change, with any number of output registers up to 32 in use.  They keep scratch registers in a stack frame above those, which keeps
// NaTs; f6 to f15, which the kernel may clear, in memory.  Inside, links are in b0.  f32 and up are never touched.

	.file "assay-probe-ia64.s"

// System calls of Linux (arch/ia64/kernel/syscalls/syscall.tbl).
READ = 1026
OPEN = 1028
CLOSE = 1029
GETPID = 1041
GETPPID = 1042
GETUID = 1046
GETEUID = 1047
GETGID = 1062
GETEGID = 1063
GETRLIMIT = 1085
READLINK = 1092
FTRUNCATE = 1098
GETTID = 1105
MMAP = 1151
RT_SIGPROCMASK = 1179
GETCWD = 1184
CLOCK_GETTIME = 1254
FALLOCATE = 1303

// struct probe_header (record_file.h).
HEADER_SIZE = 16
HEADER_PROCESS = 24
HEADER_END = 32
HEADER_START_TIME = 40
HEADER_END_TIME = 48
HEADER_START_TICKS = 56
HEADER_END_TICKS = 64
HEADER_CYCLES = 80
HEADER_READING = 96
HEADER_THREADS = 128
HEADER_FOREIGN = 136
HEADER_COMMAND = 152

// struct probe_segment, struct probe_thread.
SEGMENT_THREAD = 2
SEGMENT_EVENTS = 5
SEGMENT_SUBJECTS = 7
SEGMENT_UNUSED = 8
THREAD_NUMBER = 16
THREAD_BUFFER = 24
THREAD_START = 32
THREAD_LOST = 80

BUFFER = 32768			// in its segment, and its alignment: bit 14 of a place is 0 until it is full
CHUNK = 65536			// all segments are multiples of it, whatever the page of the system is

// Words of the state.
STARTED = 0
HEADER = 8			// 0: nothing is recorded
LOCK = 16
END = 24			// of the file
LIMIT = 32
THREADS = 40
PROCESS = 48
SUBJECTS = 56			// so many are known
ENVIRONMENT = 64
PROGRAM = 72			// its ELF header
ON_EXIT = 80
FINISH = 88
MODULE = 96			// name of the program's file
PATH = 1120			// name of the recording
NAME_BYTES = 1000

// In texts.
VARIABLE = 8
USUAL_PREFIX = 26
USUAL_SUFFIX = 32
NO_SUFFIX = 39
COMMAND_FILE = 40
PROGRAM_FILE = 59
