
// ---- What probes cost ----

// As runtime/probe/calibrate.c: the quickest of a few rounds.  A core that keeps the order of instructions executes a node
// alone, so the cost of pairs one after the other is what is subtracted.  in0: state, in1: header.
ROUNDS = 4
	.proc measure#
measure:
	alloc loc0=ar.pfs,2,13,2,0
	mov loc1=b0
	mov loc2=ar.lc
{	.mii
	nop.m 0
	mov r15=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r16=@pcrel(scrap+16) ;;
}
	add loc3=r15,r16		// the scrap buffer
	movl r14=@tprel(assay_probe_position#) ;;
	add loc4=r14,r13
	mov loc6=-1			// the quickest: chain of additions
	mov loc7=-1			// two readings
	mov loc8=-1			// pairs, by their own clock
	mov loc9=-1			// pairs
	mov loc10=-1			// values
	mov loc11=ROUNDS ;;
	ld8 loc5=[loc4] ;;
.Lround:
	mov ar.lc=127
	mov r15=0 ;;
	mov r14=ar.itc ;;
.Lchain:
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15 ;;
	adds r15=1,r15
	br.cloop.sptk .Lchain ;;
	mov r16=ar.itc ;;
	sub r16=r16,r14
	mov r17=ar.itc ;;
	mov r18=ar.itc ;;
	sub r18=r18,r17
	cmp.ltu p6,p0=r16,loc6 ;;
  (p6)	mov loc6=r16
	cmp.ltu p7,p0=r18,loc7 ;;
  (p7)	mov loc7=r18
	mov ar.lc=127
	st8 [loc4]=loc3 ;;
	mov loc12=ar.itc ;;
.Lpair:
{	.mii
	nop.m 0
	mov r18=ip
	nop.i 0
}
{	.mlx
	mov r20=ar.bsp
	movl r14=@pcrel(own_words+16) ;;
}
	add r14=r14,r18
	sub r20=r12,r20 ;;
	ld4 r18=[r14],8
	shr.u r20=r20,3
	movl r15=@tprel(assay_probe_position#) ;;
	add r15=r15,r13 ;;
	ld8 r19=[r15]
	adds r18=17,r18 ;;
	st4 [r19]=r18,4
	mov r21=ar.itc ;;
	st4 [r19]=r20,4 ;;
	st8 [r19]=r21,8 ;;
	st8 [r15]=r19
	tbit.z p6,p0=r19,14
  (p6)	br.cond.dptk.few .Lhalf ;;
	break 1 ;;
.Lhalf:
{	.mii
	mov r21=ar.itc
	mov r18=ip
	nop.i 0
}
{	.mlx
	mov r20=ar.bsp
	movl r14=@pcrel(own_words+16) ;;
}
	add r14=r14,r18
	sub r20=r12,r20 ;;
	ld4 r18=[r14],8
	shr.u r20=r20,3
	movl r15=@tprel(assay_probe_position#) ;;
	add r15=r15,r13 ;;
	ld8 r19=[r15]
	adds r18=18,r18 ;;
	st4 [r19]=r18,4 ;;
	st4 [r19]=r20,4 ;;
	st8 [r19]=r21,8 ;;
	st8 [r15]=r19
	tbit.z p6,p0=r19,14
  (p6)	br.cond.dptk.few .Lwhole ;;
	break 1 ;;
.Lwhole:
	br.cloop.sptk .Lpair ;;
	mov r16=ar.itc ;;
	sub r16=r16,loc12
	mov ar.lc=127
	adds r14=8,loc3			// ENTER's time
	adds r15=24,loc3		// LEAVE's
	mov r17=0 ;;
	cmp.ltu p6,p0=r16,loc9 ;;
  (p6)	mov loc9=r16 ;;
.Lsum:
	ld8 r18=[r14],32
	ld8 r19=[r15],32 ;;
	sub r18=r19,r18 ;;
	add r17=r17,r18
	br.cloop.sptk .Lsum ;;
	cmp.ltu p6,p0=r17,loc8
	st8 [loc4]=loc3
	mov ar.lc=127 ;;
  (p6)	mov loc8=r17
	mov loc12=ar.itc ;;
.Lvalue:
{	.mii
	nop.m 0
	mov r18=ip
	nop.i 0
}
{	.mlx
	mov r20=ar.bsp
	movl r14=@pcrel(own_words+16) ;;
}
	add r14=r14,r18
	sub r20=r12,r20 ;;
	mov r21=r16 ;;
	ld4 r18=[r14],8
	shr.u r20=r20,3
	movl r15=@tprel(assay_probe_position#) ;;
	add r15=r15,r13 ;;
	ld8 r19=[r15]
	adds r18=21,r18 ;;
	st4 [r19]=r18,4 ;;
	st4 [r19]=r20,4 ;;
	st8 [r19]=r21,8 ;;
	st8 [r15]=r19
	tbit.z p6,p0=r19,14
  (p6)	br.cond.dptk.few .Lseen ;;
	break 1 ;;
.Lseen:
	br.cloop.sptk .Lvalue ;;
	mov r16=ar.itc ;;
	sub r16=r16,loc12
	adds loc11=-1,loc11 ;;
	cmp.ltu p6,p0=r16,loc10
	cmp.ne p7,p0=0,loc11 ;;
  (p6)	mov loc10=r16
  (p7)	br.cond.dptk .Lround ;;
	st8 [loc4]=loc5
	adds r14=HEADER_READING,in1
	shl r15=loc7,6			// in 1/64 ticks
	shr.u r16=loc8,1		// 64 / 128
	shr.u r17=loc9,1
	shr.u r18=loc10,1 ;;
	st8 [r14]=r15,8 ;;
	st8 [r14]=r16,8 ;;
	st8 [r14]=r17,8 ;;
	st8 [r14]=r18
	movl r8=1024*1024		// 1024 additions, for 1024 ticks
	cmp.eq p6,p0=0,loc6
	mov r9=loc6 ;;
  (p6)	br.cond.spnt .Lmeasure_ends
	br.call.sptk.many b0=divide ;;
	adds r14=HEADER_CYCLES,in1 ;;
	st8 [r14]=r8 ;;
.Lmeasure_ends:
	mov ar.lc=loc2
	mov ar.pfs=loc0 ;;
	mov b0=loc1 ;;
	br.ret.sptk.many b0 ;;
	.endp measure#
