
// ---- The end ----

// in0: state; r8: the header where this process made it and its end is not yet known, else 0.
	.proc end_of#
end_of:
	alloc loc0=ar.pfs,1,3,1,0
	mov loc1=b0
	mov r15=GETPID ;;
	br.call.sptk.many b0=kernel ;;
	adds r14=PROCESS,in0
	adds r15=HEADER,in0 ;;
	ld8 r14=[r14]
	ld8 loc2=[r15] ;;
	cmp.ne p6,p0=r14,r8
	adds r15=HEADER_END_TIME,loc2
	cmp.eq p7,p8=0,loc2 ;;
  (p8)	ld8 r15=[r15] ;;
  (p8)	cmp.ne p7,p0=0,r15 ;;
  (p6)	mov loc2=0 ;;
  (p7)	mov loc2=0 ;;
	cmp.eq p6,p0=0,loc2 ;;
  (p6)	br.cond.spnt .Lend_of_ends
	br.call.sptk.many b0=nanoseconds ;;
	adds r14=HEADER_END_TIME,loc2
	mov r15=ar.itc ;;
	st8 [r14]=r8,16 ;;
	st8 [r14]=r15 ;;
.Lend_of_ends:
	mov r8=loc2
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp end_of#

// What on_exit calls: the status, the state.
	.proc assay_probe_finish#
assay_probe_finish:
	alloc loc0=ar.pfs,2,2,1,0
	mov loc1=b0
	adds r12=-48,r12
	mov out0=in1 ;;
	br.call.sptk.many b0=end_of ;;
	cmp.eq p6,p7=0,r8
	adds r14=HEADER_END,r8
	mov r15=1 ;;			// PROBE_END_EXIT
  (p7)	st4 [r14]=r15,4
	adds r12=48,r12
	mov b0=loc1 ;;
  (p7)	st4 [r14]=in0
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp assay_probe_finish#

// Where there was no on_exit.
	.proc assay_probe_last#
assay_probe_last:
	alloc loc0=ar.pfs,0,2,1,0
	mov loc1=b0
	adds r12=-48,r12 ;;
{	.mii
	nop.m 0
	mov r14=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r15=@pcrel(state+16) ;;
}
	add out0=r14,r15
	br.call.sptk.many b0=end_of ;;
	adds r12=48,r12
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp assay_probe_last#
