
// ---- Data ----

	.section .tdata,"awT",@progbits
	.align 8
	.global assay_probe_position#
	.type assay_probe_position#,@tls_object
	.size assay_probe_position#,8
assay_probe_position:
	data8 scrap+16368
thread_buffer:			// 0: this thread has none
	data8 0
thread_place:			// where its next full buffer goes, and the end of that segment
	data8 0
thread_places_end:
	data8 0
thread_segment:
	data8 0

	.section .bss.assay,"aw",@nobits
	.align 32768
scrap:
	.skip 32768

	.weak environ#
	.weak on_exit#
	.weak __ehdr_start#
	.hidden __ehdr_start#
	.section .data.assay_state,"aw",@progbits
	.align 16
state:
	data8 0			// STARTED
	data8 0			// HEADER
	data8 0			// LOCK
	data8 0			// END
most_bytes:
	data8 0x100000000	// LIMIT: 4 GB, 268 million events
	data8 0			// THREADS
	data8 0			// PROCESS
	data8 0			// SUBJECTS
	data8 environ#		// ENVIRONMENT
	data8 __ehdr_start#	// PROGRAM
	data8 @fptr(on_exit#)	// ON_EXIT
	data8 @fptr(assay_probe_finish#)	// FINISH
	.skip 1024		// MODULE
	.skip 4096		// PATH
own_words:			// as nodes have them, for measuring what nodes cost
	data4 0, 0

	.section .rodata.assay,"a",@progbits
	.align 8
texts:
	.ascii "ASSAYPRB"
	.string "ASSAY_PROBE_FILE="	// VARIABLE
	.string "assay"			// USUAL_PREFIX
	.string ".probe"		// USUAL_SUFFIX
	.string ""			// NO_SUFFIX
	.string "/proc/self/cmdline"	// COMMAND_FILE
	.string "/proc/self/exe"	// PROGRAM_FILE

	.section .fini_array,"aw",@fini_array
	.align 8
	data8 @fptr(assay_probe_last#)

	.section .text.assay_runtime,"ax",@progbits
	.align 32
