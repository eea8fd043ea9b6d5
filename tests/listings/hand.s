/* A loop by hand, with everything that
   people write and compilers do not. */
# 3 "hand.S"
LL = 3
FL == LL*2 + (1 << 2) - 4
.equ STEP, 8
.set LINE, 16 * STEP
.regstk 3, 5, 0, 8
src = in0
dst = r33
count = r34
c0 = f33
	.text
	.explicit
	.proc copy#, copy_again#
	.global copy#
	.align 32
copy:	.prologue
	{.mii; alloc r31 = ar.pfs, 3, 5, 0, 8; .save ar.lc, r2; mov r2 = ar.lc; mov r3 = pr;; }
	.rotr a[3], b[LL]
	.rotf x[FL], y[2]
	.rotp s[4], t[1]
	.pred.rel "mutex", p6, p7
	.pred.rel.mutex p6, p7
	.body
	{	.mfi
		add loc0 = -1, count
		mov c0 = f1
		mov pr.rot = 1 << 16 ;; }
	{ 
	  .mii
		nop.m 0
		mov ar.lc = loc0 /* in the middle */
		mov ar.ec = LL ;; // after
	}
1:
	{ .mmi
(s[0])	ld8 a[0] = [src], STEP
(s[2])	st8 [dst] = a[2], STEP
	nop.i 0 }
	{ .mfb; lfetch.fault.excl.nt1 [r9], LINE ; (s[1])fma.d y[1] = x[FL-1], c0, x[0]; br.ctop.sptk.few 1b ;; }
	br.cond.sptk 1f
copy_again:
	{ .mlx
	nop.m 0
	movl r14 = 0x123456789abcdef0 ;;
	}
	{ .mlx
	.mem.offset 8, 0
	st8.spill [r16] = r17, 16
	brl.call.sptk.many b0 = elsewhere# ;;
	}
1:	mov ar.lc = r2 ; mov pr = r3, -1
	br.ret.sptk.many b0;;
	.endp copy#
	.section .rodata, "a", @progbits
"a name with blanks":
	data4 1, 2, 3
	.previous
	.proc last
last:	nop 0;;	nop 0
	br.ret.sptk.many rp
	.endp
.macro twice first, second=r9
	add \first = \first, \second
	add \first = 1, \first ;;
.endm
	.proc made
made:
	twice r8
	twice r8, r10
	.rept 2
	nop.i 0
	.endr
	br.ret.sptk.many b0
	.endp made
