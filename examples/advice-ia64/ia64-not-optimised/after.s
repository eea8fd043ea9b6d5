// y[i] += a * x[i], compiled by gcc 12 with -O2.
	.file	"kernels.c"
	.pred.safe_across_calls p1-p5,p16-p63
	.text
	.align 16
	.align 64
	.global kernel#
	.type	kernel#, @function
	.proc kernel#
kernel:
	.prologue
	.mii
	nop 0
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	sxt4 r14 = r32
	.mmb
	cmp4.ge p6, p7 = 0, r32
	nop 0
	(p6) br.cond.dpnt .L1
	;;
	.mmi
	shladd r14 = r14, 3, r0
	;;
	adds r14 = -8, r14
	nop 0
	;;
	.mii
	nop 0
	shr.u r14 = r14, 3
	;;
	mov ar.lc = r14
	.align 32
.L3:
	.mmi
	ldfd f7 = [r35], 8
	ldfd f6 = [r34], 8
	nop 0
	;;
	.mfi
	nop 0
	fma.d f6 = f6, f8, f7
	adds r14 = -8, r35
	;;
	.mib
	stfd [r14] = f6
	nop 0
	br.cloop.sptk.few .L3
	;;
.L1:
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
	.endp kernel#
