// y[i] += a * x[i], compiled by gcc 12 with -O0.
	.file	"kernels.c"
	.pred.safe_across_calls p1-p5,p16-p63
	.text
	.sbss
	.align 4
	.type	calls#, @object
	.size	calls#, 4
calls:
	.skip	4
	.text
	.align 16
	.global kernel#
	.type	kernel#, @function
	.proc kernel#
kernel:
	.prologue 2, 2
	.vframe r2
	mov r2 = r12
	adds r12 = -32, r12
	.body
	;;
	adds r14 = -16, r2
	;;
	st4 [r14] = r32
	adds r14 = -8, r2
	;;
	stfd [r14] = f8
	mov r14 = r2
	;;
	st8 [r14] = r34
	adds r14 = 8, r2
	;;
	st8 [r14] = r35
	adds r14 = -32, r2
	;;
	st4 [r14] = r0
	br .L2
	;;
.L3:
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 3, r0
	adds r15 = 8, r2
	;;
	ld8 r15 = [r15]
	;;
	add r14 = r15, r14
	;;
	ldfd f7 = [r14]
	adds r16 = -32, r2
	;;
	ld4 r14 = [r16]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 3, r0
	mov r15 = r2
	;;
	ld8 r15 = [r15]
	;;
	add r14 = r15, r14
	;;
	ldfd f8 = [r14]
	adds r14 = -8, r2
	;;
	ldfd f6 = [r14]
	;;
	fmpy.d f6 = f8, f6
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 3, r0
	adds r15 = 8, r2
	;;
	ld8 r15 = [r15]
	;;
	add r14 = r15, r14
	fadd.d f6 = f7, f6
	;;
	stfd [r14] = f6
	adds r16 = -32, r2
	;;
	ld4 r14 = [r16]
	;;
	adds r14 = 1, r14
	adds r15 = -32, r2
	;;
	st4 [r15] = r14
.L2:
	adds r14 = -16, r2
	adds r16 = -32, r2
	;;
	ld4 r15 = [r16]
	ld4 r14 = [r14]
	;;
	cmp4.gt p6, p7 = r14, r15
	(p6) br.cond.dptk .L3
	nop 0
	nop 0
	.restore sp
	mov r12 = r2
	br.ret.sptk.many b0
	;;
	.endp kernel#
