
// ---- The start ----

// Once.  in0: the state, in1: whether this is main's node, where functions may be called.
	.proc start#
start:
	alloc loc0=ar.pfs,2,7,6,0
	mov loc1=b0
	mov loc2=gp
	mov r14=1 ;;
	xchg8 r14=[in0],r14 ;;
	cmp.ne p6,p0=0,r14
	mov r15=GETUID ;;
  (p6)	br.cond.sptk .Lstart_ends
	br.call.sptk.many b0=kernel ;;
	mov loc3=r8
	mov r15=GETEUID
	br.call.sptk.many b0=kernel ;;
	cmp.ne p6,p0=loc3,r8
	mov r15=GETGID ;;
  (p6)	br.cond.spnt .Lstart_ends		// somebody else's rights: nothing is written
	br.call.sptk.many b0=kernel ;;
	mov loc3=r8
	mov r15=GETEGID
	br.call.sptk.many b0=kernel ;;
	cmp.ne p6,p0=loc3,r8
	mov r15=GETPID ;;
  (p6)	br.cond.spnt .Lstart_ends
	br.call.sptk.many b0=kernel ;;
	adds r14=PROCESS,in0 ;;
	st8 [r14]=r8
	mov out0=1			// RLIMIT_FSIZE: beyond it is SIGXFSZ
	adds out1=16,r12
	mov r15=GETRLIMIT
	br.call.sptk.many b0=kernel ;;
	adds r14=16,r12
	adds r15=LIMIT,in0 ;;
	ld8 r14=[r14]
	ld8 r16=[r15] ;;
	cmp.eq p6,p0=0,r8 ;;
  (p6)	cmp.ltu p6,p0=r14,r16 ;;
  (p6)	st8 [r15]=r14
	mov out0=in0
	br.call.sptk.many b0=name_file ;;
	cmp.eq p6,p0=0,r8
	mov loc3=r8
	mov loc4=2 ;;
  (p6)	br.cond.spnt .Lstart_ends
.Lcreate:
	adds out0=PATH,in0
	movl out1=0x200c2		// O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
	mov out2=0600
	mov r15=OPEN
	br.call.sptk.many b0=kernel ;;
	adds r14=17,r8			// EEXIST: after an exec
	mov r15=1000
	cmp.le p6,p0=0,r8
	mov out0=r8 ;;
	cmp.eq p7,p8=0,r14
  (p6)	br.cond.sptk .Lcreated ;;
  (p7)	cmp.gt p7,p8=loc4,r15 ;;
  (p7)	br.cond.spnt .Lstart_ends
  (p8)	mov r16=46			// '.'
	mov r8=loc3
	cmp.ne p6,p0=0,r14
	mov r9=loc4 ;;
  (p6)	br.cond.spnt .Lstart_ends
	st1 [r8]=r16,1
	adds loc4=1,loc4
	br.call.sptk.many b0=put_number ;;
	br.cond.sptk .Lcreate ;;
.Lcreated:
	mov r15=CLOSE
	br.call.sptk.many b0=kernel ;;
	mov out0=in0
	movl out1=CHUNK
	mov out2=0
	br.call.sptk.many b0=segment ;;
	cmp.eq p6,p0=0,r8
	mov loc5=r8
	mov out0=in0
	mov out1=r8 ;;
  (p6)	br.cond.spnt .Lstart_ends
	br.call.sptk.many b0=fill_header ;;
	mov out0=in0
	mov out1=loc5
	br.call.sptk.many b0=measure ;;
	adds r14=HEADER,in0 ;;
	st8 [r14]=loc5
	mov out0=in0
	br.call.sptk.many b0=find_objects ;;
	adds r14=ON_EXIT,in0
	adds r15=FINISH,in0
	cmp.eq p6,p0=0,in1 ;;
	ld8 r14=[r14]
	ld8 out0=[r15]
	mov out1=in0
  (p6)	br.cond.spnt .Lstart_ends ;;
	cmp.eq p6,p0=0,r14 ;;
  (p6)	br.cond.spnt .Lstart_ends ;;
	ld8 r15=[r14],8 ;;
	ld8 gp=[r14]
	mov b7=r15 ;;
	br.call.sptk.many b0=b7 ;;
.Lstart_ends:
	mov gp=loc2
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp start#

// The name of the recording, into PATH; r8: where it ends, or 0.  in0: the state.
	.proc name_file#
name_file:
	alloc loc0=ar.pfs,1,6,3,0
	mov loc1=b0
{	.mii
	adds r14=ENVIRONMENT,in0
	mov r15=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r16=@pcrel(texts+16) ;;
}
	add loc5=r15,r16
	ld8 r14=[r14] ;;
	adds loc2=USUAL_PREFIX,loc5
	adds loc3=USUAL_SUFFIX,loc5
	cmp.eq p6,p7=0,r14 ;;
  (p6)	br.cond.spnt .Lhas_prefix
	ld8 r14=[r14] ;;		// environ
	cmp.eq p6,p0=0,r14 ;;
  (p6)	br.cond.spnt .Lhas_prefix ;;
.Lnext_variable:
	ld8 r15=[r14],8
	adds r16=VARIABLE,loc5 ;;
	cmp.eq p6,p0=0,r15 ;;
  (p6)	br.cond.spnt .Lhas_prefix ;;
.Lcompare:
	ld1 r17=[r16],1
	ld1 r18=[r15] ;;
	cmp.eq p6,p0=0,r17		// the whole name
	cmp.eq p7,p8=r17,r18 ;;
  (p6)	cmp.ne p9,p0=0,r18
  (p6)	br.cond.spnt .Lfound
  (p7)	adds r15=1,r15
  (p7)	br.cond.dptk .Lcompare
	br.cond.sptk .Lnext_variable ;;
.Lfound:
  (p9)	mov loc2=r15			// an empty one counts as none
  (p9)	adds loc3=NO_SUFFIX,loc5 ;;
.Lhas_prefix:
	mov r14=loc2
	mov r8=0 ;;
.Llength:
	ld1 r15=[r14],1 ;;
	cmp.eq p6,p0=0,r15
	sub r16=r14,loc2 ;;
  (p6)	br.cond.dpnt .Lhas_length ;;
	br.cond.sptk .Llength ;;
.Lhas_length:
	ld1 r15=[loc2]
	movl r17=2000 ;;
	cmp.gtu p6,p0=r16,r17
	cmp.eq p7,p0=47,r15		// '/'
	adds loc4=PATH,in0 ;;
  (p6)	br.cond.spnt .Lname_ends
  (p7)	br.cond.dpnt .Lput_prefix
	mov out0=loc4
	mov out1=1024
	mov r15=GETCWD
	br.call.sptk.many b0=kernel ;;
	cmp.gt p6,p0=2,r8
	add loc4=loc4,r8
	mov r8=0 ;;
  (p6)	br.cond.spnt .Lname_ends
	adds r14=-1,loc4
	mov r15=47 ;;
	st1 [r14]=r15 ;;
.Lput_prefix:
	mov r8=loc4
	mov r9=loc2
	br.call.sptk.many b0=put_text ;;
	mov r14=46			// '.'
	adds r15=PROCESS,in0 ;;
	st1 [r8]=r14,1
	ld8 r9=[r15]
	br.call.sptk.many b0=put_number ;;
	mov r9=loc3
	br.call.sptk.many b0=put_text ;;
.Lname_ends:
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp name_file#

// in0: the state, in1: the header.
	.proc fill_header#
fill_header:
	alloc loc0=ar.pfs,2,4,3,0
	mov loc1=b0
{	.mii
	mov r18=PROCESS
	mov r15=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r16=@pcrel(texts+16) ;;
}
	add loc2=r15,r16
	add r18=r18,in0
	movl r19=0x300000001 ;;		// version, PROBE_ISA_IA64
	adds out0=COMMAND_FILE,loc2
	adds r14=8,in1
	adds r15=HEADER_PROCESS,in1
	adds r16=HEADER_THREADS+4,in1
	movl r17=CHUNK ;;
	ld8 r18=[r18]
	mov r20=2 ;;			// PROBE_UNSUMMARISED
	st8 [r14]=r19,8
	st4 [r15]=r18
	st4 [r16]=r20 ;;
	st8 [r14]=r17
	// What is left of the first piece is a segment.
	movl r14=4096
	mov r15=SEGMENT_UNUSED ;;
	sub r17=r17,r14
	add r14=r14,in1 ;;
	st8 [r14]=r15,8 ;;
	st8 [r14]=r17
	mov out1=0			// O_RDONLY
	mov r15=OPEN
	br.call.sptk.many b0=kernel ;;
	cmp.gt p6,p0=0,r8
	mov loc3=r8
	mov out0=r8
	adds out1=HEADER_COMMAND,in1
	mov out2=2047
	mov r15=READ ;;
  (p6)	br.cond.spnt .Lhas_no_command
	br.call.sptk.many b0=kernel ;;
	mov out0=loc3
	mov r15=CLOSE
	br.call.sptk.many b0=kernel ;;
.Lhas_no_command:
	adds out0=PROGRAM_FILE,loc2
	adds out1=MODULE,in0
	mov out2=NAME_BYTES
	mov r15=READLINK
	br.call.sptk.many b0=kernel ;;	// what is behind it is 0
	mov r15=GETPPID
	br.call.sptk.many b0=kernel ;;
	adds r14=HEADER_PROCESS+4,in1 ;;
	st4 [r14]=r8
	br.call.sptk.many b0=nanoseconds ;;
	adds r14=HEADER_START_TIME,in1
	adds r15=HEADER_START_TICKS,in1
	mov r16=ar.itc ;;
	st8 [r14]=r8
	st8 [r15]=r16
	ld8 r17=[loc2] ;;
	st8 [in1]=r17
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp fill_header#
