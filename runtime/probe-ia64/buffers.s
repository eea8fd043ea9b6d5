
// ---- Full buffers ----

// The thread's position has passed the end of its buffer, or of the scrap buffer.  in0: the state.
	.proc full#
full:
	alloc loc0=ar.pfs,1,5,6,0
	mov loc1=b0
	movl r14=@tprel(assay_probe_position#) ;;
	add loc2=r14,r13
	mov out0=in0
	mov out1=0
	br.call.sptk.many b0=start ;;	// where nodes are reached before main is
	adds r14=HEADER,in0
	mov r15=GETPID ;;
	ld8 loc3=[r14] ;;
	cmp.eq p6,p0=0,loc3 ;;
  (p6)	br.cond.spnt .Lpass_over
	br.call.sptk.many b0=kernel ;;
	adds r14=PROCESS,in0
	adds r15=8,loc2 ;;
	ld8 r14=[r14]
	ld8 loc4=[r15] ;;
	cmp.ne p6,p0=r14,r8
	cmp.eq p7,p0=0,loc4
	mov out0=in0
	mov out1=loc2
	mov out2=loc3 ;;
  (p6)	br.cond.spnt .Lchild
  (p7)	br.cond.spnt .Lnew
	br.call.sptk.many b0=flush ;;
	br.cond.sptk .Lfull_ends ;;
.Lnew:
	br.call.sptk.many b0=new_thread ;;
	br.cond.sptk .Lfull_ends ;;
.Lchild:
	adds r14=HEADER,in0 ;;
	st8 [r14]=r0 ;;
.Lpass_over:
{	.mii
	nop.m 0
	mov r14=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r15=@pcrel(scrap+16) ;;
}
	add r14=r14,r15 ;;
	st8 [loc2]=r14 ;;
.Lfull_ends:
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp full#

// The thread's first event is in the scrap buffer.  in0: state, in1: the thread's words, in2: header.
	.proc new_thread#
new_thread:
	alloc loc0=ar.pfs,3,4,3,0
	mov loc1=b0
	adds r14=THREADS,in0 ;;
	fetchadd8.acq loc2=[r14],1
	mov out0=in0
	movl out1=CHUNK ;;
	adds loc2=1,loc2 ;;
	mov out2=loc2
	br.call.sptk.many b0=segment ;;
	cmp.eq p6,p7=0,r8
	mov loc3=r8
	mov r14=HEADER_FOREIGN
	movl r15=BUFFER ;;
  (p6)	add r14=r14,in2
  (p6)	br.cond.spnt .Lforeign
	add r16=r8,r15			// its buffer
	add r17=r9,r15
	adds r18=THREAD_BUFFER,r8
	adds r19=THREAD_NUMBER,r8
	adds r20=THREAD_START,r8
	mov r21=ar.itc ;;
	st8 [r18]=r17
	st4 [r19]=loc2,4		// system_number is next
	st8 [r20]=r21
	ld8 r22=[in1]
	adds r23=8,in1
	adds r24=32,in1 ;;
	st8 [r23]=r16
	st8 [r24]=r8
	adds r22=-16,r22 ;;		// the event
	ld8 r24=[r22],8
	adds r25=8,r16 ;;
	ld8 r26=[r22] ;;
	st8 [r25]=r26
	mov r15=GETTID ;;
	st8 [r16]=r24,16 ;;
	st8 [in1]=r16
	br.call.sptk.many b0=kernel ;;
	adds r14=THREAD_NUMBER+4,loc3
	adds r15=HEADER_THREADS,in2
	mov r16=SEGMENT_THREAD ;;
	st4 [r14]=r8
	fetchadd4.acq r15=[r15],1
	st4.rel [loc3]=r16
	br.cond.sptk .Lnew_ends ;;
.Lforeign:
	fetchadd8.acq r14=[r14],1
	ld8 r15=[in1] ;;
	adds r15=-16,r15 ;;
	st8 [in1]=r15 ;;
.Lnew_ends:
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp new_thread#

// Copies the thread's events, and begins its buffer again.  Signals are blocked, because a handler's events would come here
// for the same buffer.  in0: state, in1: the thread's words, in2: header.
	.proc flush#
flush:
	alloc loc0=ar.pfs,3,6,4,0
	mov loc1=b0
	mov r14=-1
	adds out1=16,r12
	adds out2=32,r12
	mov out0=0			// SIG_BLOCK
	mov out3=8
	mov r15=RT_SIGPROCMASK ;;
	st8 [out1]=r14
	br.call.sptk.many b0=kernel ;;
	adds r14=8,in1
	adds r15=16,in1
	adds r16=24,in1
	adds r17=32,in1 ;;
	ld8 loc2=[r14]			// the buffer
	ld8 loc3=[in1]			// its end
	ld8 loc4=[r15]
	ld8 r16=[r16]
	ld8 loc5=[r17] ;;
	sub r18=loc3,loc2
	sub r16=r16,loc4
	adds r19=4,loc5 ;;
	cmp.leu p6,p0=r18,r16
	ld4 out2=[r19]
	mov out0=in0
	movl out1=CHUNK*16 ;;
  (p6)	br.cond.sptk .Lcopy
	br.call.sptk.many b0=segment ;;
	cmp.eq p6,p7=0,r8
	adds loc4=16,r8
	movl r14=CHUNK*16
	mov r15=SEGMENT_EVENTS
	adds r16=24,in1
	adds r17=THREAD_LOST,loc5
	sub r18=loc3,loc2 ;;
  (p7)	st4.rel [r8]=r15
	add r14=r8,r14
  (p6)	mov loc4=0
  (p6)	ld8 r19=[r17]
	shr.u r18=r18,4 ;;
  (p7)	st8 [r16]=r14
  (p6)	add r19=r19,r18 ;;
  (p6)	st8 [r16]=r0
  (p6)	st8 [r17]=r19 ;;
.Lcopy:
	cmp.ltu p6,p0=loc2,loc3
	cmp.ne p7,p0=0,loc4
	adds r14=8,loc2 ;;
  (p6)	ld8 r15=[loc2]
  (p6)	ld8 r14=[r14]
	adds r16=8,loc4
  (p6)	br.cond.dptk .Lcopy_one
	br.cond.sptk .Lcopied ;;
.Lcopy_one:
	cmp4.eq p8,p0=0,r15 ;;		// a place that nobody wrote to
  (p8)	cmp.ne p7,p0=r0,r0 ;;
  (p7)	st8 [r16]=r14 ;;
  (p7)	st8 [loc4]=r15,16
	st4 [loc2]=r0,16
	br.cond.sptk .Lcopy ;;
.Lcopied:
	adds r14=8,in1
	adds r15=16,in1 ;;
	ld8 r14=[r14]
	st8 [r15]=loc4 ;;
	st8 [in1]=r14
	adds out1=32,r12
	mov out0=2			// SIG_SETMASK
	mov out2=0
	mov out3=8
	mov r15=RT_SIGPROCMASK
	br.call.sptk.many b0=kernel ;;
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp flush#
