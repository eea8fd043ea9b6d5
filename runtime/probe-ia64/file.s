
// ---- The file ----

// A segment of in1 bytes for thread in2 at the end of the file: r8 its address or 0, r9 its offset.  Its kind is the caller's
// to write.  A file that cannot grow is not asked again.
	.proc segment#
segment:
	alloc loc0=ar.pfs,3,5,6,0
	mov loc1=b0
	adds r14=LOCK,in0 ;;
.Ltaken:
	mov r15=1 ;;
	xchg8 r15=[r14],r15 ;;
	cmp.ne p6,p0=0,r15 ;;
  (p6)	br.cond.spnt .Ltaken ;;
	adds r14=END,in0
	adds r15=LIMIT,in0
	mov loc3=0 ;;
	ld8 loc4=[r14]
	ld8 r15=[r15] ;;
	add r14=loc4,in1
	adds out0=PATH,in0
	movl out1=0x20002 ;;		// O_RDWR | O_NOFOLLOW
	cmp.gtu p6,p0=r14,r15
	mov out2=0
	mov r15=OPEN
  (p6)	br.cond.spnt .Lsegment_fails
	br.call.sptk.many b0=kernel ;;
	mov loc2=r8
	mov out0=r8
	mov out1=0
	cmp.gt p6,p0=0,r8
	mov out2=loc4
	mov out3=in1
	mov r15=FALLOCATE
  (p6)	br.cond.spnt .Lsegment_fails
	br.call.sptk.many b0=kernel ;;
	adds r14=95,r8			// EOPNOTSUPP
	adds r15=38,r8			// ENOSYS
	cmp.eq p6,p0=0,r8 ;;
  (p6)	br.cond.sptk .Lhas_room
	cmp.eq p7,p8=0,r14 ;;
  (p8)	cmp.eq p7,p0=0,r15 ;;
  (p7)	br.cond.dptk .Llengthen
	br.cond.sptk .Lclose ;;
.Llengthen:
	mov out0=loc2
	add out1=loc4,in1
	mov r15=FTRUNCATE
	br.call.sptk.many b0=kernel ;;
	cmp.ne p6,p0=0,r8 ;;
  (p6)	br.cond.spnt .Lclose ;;
.Lhas_room:
	// Room at a multiple of CHUNK, whatever a page is, then the file there.
	mov out0=0
	mov out2=0			// PROT_NONE
	mov out3=0x22			// MAP_PRIVATE | MAP_ANONYMOUS
	mov out4=-1
	mov out5=0
	movl r14=CHUNK ;;
	add out1=in1,r14
	mov r15=MMAP
	br.call.sptk.many b0=kernel ;;
	movl r14=CHUNK-1
	cmp.gt p6,p0=0,r8 ;;
	add r15=r8,r14
  (p6)	br.cond.spnt .Lclose ;;
	andcm loc3=r15,r14 ;;
	mov out0=loc3
	mov out1=in1
	mov out2=3			// PROT_READ | PROT_WRITE
	mov out3=0x11			// MAP_SHARED | MAP_FIXED
	mov out4=loc2
	mov out5=loc4
	mov r15=MMAP
	br.call.sptk.many b0=kernel ;;
	cmp.ne p6,p0=r8,loc3 ;;
  (p6)	mov loc3=0 ;;
.Lclose:
	mov out0=loc2
	mov r15=CLOSE
	br.call.sptk.many b0=kernel ;;
	cmp.eq p6,p0=0,loc3 ;;
  (p6)	br.cond.spnt .Lsegment_fails
	adds r14=4,loc3
	adds r15=8,loc3
	add r16=loc4,in1
	adds r17=END,in0
	adds r18=HEADER,in0 ;;
	st4 [r14]=in2
	st8 [r15]=in1
	st8 [r17]=r16
	ld8 r18=[r18] ;;
	cmp.ne p6,p0=0,r18
	adds r18=HEADER_SIZE,r18 ;;
  (p6)	st8 [r18]=r16
	br.cond.sptk .Lsegment_ends ;;
.Lsegment_fails:
	adds r14=LIMIT,in0
	mov loc3=0 ;;
	st8 [r14]=r0 ;;
.Lsegment_ends:
	adds r14=LOCK,in0
	mov r8=loc3
	mov r9=loc4
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	st8.rel [r14]=r0
	br.ret.sptk.many b0 ;;
	.endp segment#

// Nanoseconds of CLOCK_MONOTONIC.
	.proc nanoseconds#
nanoseconds:
	alloc loc0=ar.pfs,0,2,2,0
	mov loc1=b0 ;;
	mov out0=1
	adds out1=16,r12
	mov r15=CLOCK_GETTIME
	br.call.sptk.many b0=kernel ;;
	adds r14=16,r12
	adds r15=24,r12
	movl r16=1000000000 ;;
	ld8 r14=[r14]
	ld8 r8=[r15]
	setf.sig f7=r16 ;;
	setf.sig f6=r14
	mov b0=loc1 ;;
	xmpy.l f6=f6,f7
	mov ar.pfs=loc0 ;;
	getf.sig r14=f6 ;;
	add r8=r8,r14
	br.ret.sptk.many b0 ;;
	.endp nanoseconds#
