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
	.global daxpy#
	.type	daxpy#, @function
	.proc daxpy#
daxpy:
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
	.endp daxpy#
	.align 16
	.global dot#
	.type	dot#, @function
	.proc dot#
dot:
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
	st8 [r14] = r33
	mov r14 = r2
	;;
	st8 [r14] = r34
	getf.d r15 = f0
	adds r14 = -32, r2
	;;
	st8 [r14] = r15
	adds r14 = -24, r2
	;;
	st4 [r14] = r0
	br .L5
	;;
.L6:
	adds r14 = -24, r2
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 3, r0
	adds r15 = -8, r2
	;;
	ld8 r15 = [r15]
	;;
	add r14 = r15, r14
	;;
	ldfd f7 = [r14]
	adds r14 = -24, r2
	;;
	ld4 r14 = [r14]
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
	ldfd f6 = [r14]
	;;
	fmpy.d f6 = f7, f6
	adds r14 = -32, r2
	;;
	ldfd f7 = [r14]
	;;
	fadd.d f6 = f7, f6
	;;
	getf.d r14 = f6
	adds r15 = -32, r2
	;;
	st8 [r15] = r14
	adds r14 = -24, r2
	adds r15 = -24, r2
	;;
	ld4 r15 = [r15]
	;;
	adds r15 = 1, r15
	;;
	st4 [r14] = r15
.L5:
	adds r15 = -24, r2
	adds r14 = -16, r2
	;;
	ld4 r15 = [r15]
	ld4 r14 = [r14]
	;;
	cmp4.gt p6, p7 = r14, r15
	(p6) br.cond.dptk .L6
	adds r15 = -32, r2
	;;
	ldfd f6 = [r15]
	;;
	mov f8 = f6
	.restore sp
	mov r12 = r2
	br.ret.sptk.many b0
	;;
	.endp dot#
	.align 16
	.global checksum#
	.type	checksum#, @function
	.proc checksum#
checksum:
	.prologue 2, 2
	.vframe r2
	mov r2 = r12
	adds r12 = -16, r12
	.body
	;;
	mov r14 = r2
	;;
	st8 [r14] = r32
	adds r14 = 8, r2
	;;
	st8 [r14] = r33
	addl r14 = 1, r0
	adds r15 = -16, r2
	;;
	st4 [r15] = r14
	adds r14 = -12, r2
	;;
	st4 [r14] = r0
	br .L9
	;;
.L10:
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	mov r15 = r2
	;;
	adds r16 = 1, r14
	;;
	st8 [r15] = r16
	ld1 r14 = [r14]
	;;
	mov r15 = r14
	adds r16 = -16, r2
	;;
	ld4 r14 = [r16]
	;;
	add r14 = r15, r14
	;;
	addp4 r16 = r14, r0
	movl r14 = 4223091239536077
	;;
	setf.sig f6 = r16
	setf.sig f7 = r14
	;;
	xmpy.hu f6 = f6, f7
	;;
	getf.sig r14 = f6
	;;
	sub r15 = r16, r14
	;;
	shr.u r15 = r15, 1
	;;
	add r14 = r14, r15
	;;
	shr.u r15 = r14, 15
	;;
	mov r14 = r15
	;;
	shl r14 = r14, 12
	;;
	sub r14 = r14, r15
	;;
	shladd r14 = r14, 4, r0
	;;
	add r14 = r14, r15
	;;
	sub r14 = r16, r14
	adds r15 = -16, r2
	;;
	st4 [r15] = r14
	adds r14 = -12, r2
	;;
	ld4 r15 = [r14]
	adds r16 = -16, r2
	;;
	ld4 r14 = [r16]
	;;
	add r14 = r15, r14
	adds r17 = -12, r2
	;;
	addp4 r16 = r14, r0
	movl r14 = 4223091239536077
	;;
	setf.sig f6 = r16
	setf.sig f7 = r14
	;;
	xmpy.hu f6 = f6, f7
	;;
	getf.sig r14 = f6
	;;
	sub r15 = r16, r14
	;;
	shr.u r15 = r15, 1
	;;
	add r14 = r14, r15
	;;
	shr.u r15 = r14, 15
	;;
	mov r14 = r15
	;;
	shl r14 = r14, 12
	;;
	sub r14 = r14, r15
	;;
	shladd r14 = r14, 4, r0
	;;
	add r14 = r14, r15
	;;
	sub r14 = r16, r14
	;;
	st4 [r17] = r14
.L9:
	adds r14 = 8, r2
	;;
	ld8 r14 = [r14]
	adds r15 = 8, r2
	;;
	adds r16 = -1, r14
	;;
	st8 [r15] = r16
	cmp.ne p6, p7 = 0, r14
	(p6) br.cond.dptk .L10
	adds r14 = -12, r2
	;;
	ld4 r14 = [r14]
	;;
	dep.z r14 = r14, 16, 16
	adds r16 = -16, r2
	;;
	ld4 r15 = [r16]
	;;
	or r14 = r14, r15
	;;
	mov r8 = r14
	.restore sp
	mov r12 = r2
	br.ret.sptk.many b0
	;;
	.endp checksum#
	.section	.rodata
	.align 8
.LC0:
	stringz	"six"
	.text
	.align 16
	.global pick#
	.type	pick#, @function
	.proc pick#
pick:
	.prologue 14, 34
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 4, 2, 0
	.vframe r36
	mov r36 = r12
	adds r12 = -16, r12
	.save rp, r34
	mov r34 = b0
	mov r37 = r1
	.body
	;;
	st4 [r36] = r32
	adds r14 = 8, r36
	;;
	st8 [r14] = r33
	ld4 r14 = [r36]
	;;
	cmp4.ltu p6, p7 = 6, r14
	(p6) br.cond.dptk .L13
	ld4 r14 = [r36]
	;;
	shladd r14 = r14, 3, r0
	addl r15 = @ltoffx(.L15), r1
	;;
	ld8.mov r15 = [r15], .L15
	;;
	add r14 = r14, r15
	;;
	ld8 r15 = [r14]
	;;
	add r14 = r14, r15
	;;
	mov b6 = r14
	br b6
	;;
	.section	.rodata
	.align 8
	.align 4
.L15:
	data8 @pcrel(.L21)
	data8 @pcrel(.L20)
	data8 @pcrel(.L19)
	data8 @pcrel(.L18)
	data8 @pcrel(.L17)
	data8 @pcrel(.L16)
	data8 @pcrel(.L14)
	.text
.L21:
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	;;
	adds r14 = 3, r14
	br .L22
	;;
.L20:
	adds r14 = 8, r36
	;;
	ld8 r15 = [r14]
	;;
	mov r14 = r15
	;;
	shladd r14 = r14, 3, r0
	;;
	sub r14 = r14, r15
	br .L22
	;;
.L19:
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	;;
	shr r14 = r14, 2
	br .L22
	;;
.L18:
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	movl r15 = 81985529216486895
	;;
	xor r14 = r15, r14
	br .L22
	;;
.L17:
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	movl r15 = 7378697629483820647
	;;
	setf.sig f6 = r14
	setf.sig f7 = r15
	;;
	xmpy.h f6 = f6, f7
	;;
	getf.sig r15 = f6
	;;
	shr r15 = r15, 2
	shr r14 = r14, 63
	;;
	sub r14 = r15, r14
	br .L22
	;;
.L16:
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	;;
	sub r14 = r0, r14
	br .L22
	;;
.L14:
	adds r14 = 8, r36
	;;
	ld8 r39 = [r14]
	movl r38 = @gprel(.LC0)
	;;
	add r38 = r1, r38
	br.call.sptk.many b0 = observe#
	mov r1 = r37
	mov r14 = r8
	;;
	sxt4 r14 = r14
	br .L22
	;;
.L13:
	mov r14 = r0
.L22:
	;;
	mov r8 = r14
	mov ar.pfs = r35
	mov b0 = r34
	.restore sp
	mov r12 = r36
	br.ret.sptk.many b0
	;;
	.endp pick#
	.align 16
	.global length#
	.type	length#, @function
	.proc length#
length:
	.prologue 2, 2
	.vframe r2
	mov r2 = r12
	adds r12 = -16, r12
	.body
	;;
	mov r14 = r2
	;;
	st8 [r14] = r32
	getf.d r15 = f0
	adds r14 = -16, r2
	;;
	st8 [r14] = r15
	br .L24
	;;
.L25:
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	;;
	ldfd f7 = [r14]
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	;;
	ldfd f6 = [r14]
	;;
	fmpy.d f7 = f7, f6
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	;;
	adds r14 = 8, r14
	;;
	ldfd f8 = [r14]
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	;;
	adds r14 = 8, r14
	;;
	ldfd f6 = [r14]
	;;
	fmpy.d f6 = f8, f6
	;;
	fadd.d f6 = f7, f6
	adds r14 = -16, r2
	;;
	ldfd f7 = [r14]
	;;
	fadd.d f6 = f7, f6
	;;
	getf.d r14 = f6
	adds r15 = -16, r2
	;;
	st8 [r15] = r14
	mov r14 = r2
	mov r15 = r2
	;;
	ld8 r15 = [r15]
	;;
	adds r15 = 16, r15
	;;
	ld8 r15 = [r15]
	;;
	st8 [r14] = r15
.L24:
	mov r14 = r2
	;;
	ld8 r14 = [r14]
	;;
	cmp.ne p6, p7 = 0, r14
	(p6) br.cond.dptk .L25
	adds r15 = -16, r2
	;;
	ldfd f6 = [r15]
	;;
	mov f8 = f6
	.restore sp
	mov r12 = r2
	br.ret.sptk.many b0
	;;
	.endp length#
	.align 16
	.global fibonacci#
	.type	fibonacci#, @function
	.proc fibonacci#
fibonacci:
	.prologue 14, 34
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 1, 5, 1, 0
	.vframe r36
	mov r36 = r12
	adds r12 = -16, r12
	.save rp, r34
	mov r34 = b0
	mov r37 = r1
	.body
	;;
	st4 [r36] = r32
	addl r14 = @gprel(calls#), gp
	;;
	ld4 r14 = [r14]
	;;
	adds r14 = 1, r14
	addl r15 = @gprel(calls#), gp
	;;
	st4 [r15] = r14
	ld4 r14 = [r36]
	;;
	cmp4.ge p6, p7 = 1, r14
	(p6) br.cond.dptk .L28
	ld4 r14 = [r36]
	;;
	adds r14 = -1, r14
	;;
	mov r38 = r14
	br.call.sptk.many b0 = fibonacci#
	mov r1 = r37
	mov r33 = r8
	ld4 r14 = [r36]
	;;
	adds r14 = -2, r14
	;;
	mov r38 = r14
	br.call.sptk.many b0 = fibonacci#
	mov r1 = r37
	mov r14 = r8
	;;
	add r14 = r33, r14
	br .L30
	;;
.L28:
	ld4 r14 = [r36]
.L30:
	;;
	mov r8 = r14
	mov ar.pfs = r35
	mov b0 = r34
	.restore sp
	mov r12 = r36
	br.ret.sptk.many b0
	;;
	.endp fibonacci#
	.align 16
	.global multiply#
	.type	multiply#, @function
	.proc multiply#
multiply:
	.prologue 2, 2
	.vframe r2
	mov r2 = r12
	adds r12 = -32, r12
	.body
	;;
	adds r14 = -16, r2
	;;
	st8 [r14] = r32
	adds r14 = -8, r2
	;;
	st8 [r14] = r33
	mov r14 = r2
	;;
	st8 [r14] = r34
	adds r14 = -32, r2
	;;
	st4 [r14] = r0
	br .L32
	;;
.L37:
	adds r14 = -28, r2
	;;
	st4 [r14] = r0
	br .L33
	;;
.L36:
	adds r14 = -24, r2
	;;
	stfs [r14] = f0
	adds r14 = -20, r2
	;;
	st4 [r14] = r0
	br .L34
	;;
.L35:
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	sxt4 r14 = r14
	;;
	shl r14 = r14, 8
	adds r15 = -8, r2
	;;
	ld8 r15 = [r15]
	;;
	add r15 = r15, r14
	adds r14 = -20, r2
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 2, r0
	;;
	add r14 = r15, r14
	;;
	ldfs f7 = [r14]
	adds r14 = -20, r2
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	shl r14 = r14, 8
	mov r15 = r2
	;;
	ld8 r15 = [r15]
	;;
	add r15 = r15, r14
	adds r14 = -28, r2
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 2, r0
	;;
	add r14 = r15, r14
	;;
	ldfs f6 = [r14]
	;;
	fmpy.s f6 = f7, f6
	adds r14 = -24, r2
	adds r15 = -24, r2
	;;
	ldfs f7 = [r15]
	;;
	fadd.s f6 = f7, f6
	;;
	stfs [r14] = f6
	adds r14 = -20, r2
	adds r15 = -20, r2
	;;
	ld4 r15 = [r15]
	;;
	adds r15 = 1, r15
	;;
	st4 [r14] = r15
.L34:
	adds r14 = -20, r2
	;;
	ld4 r14 = [r14]
	;;
	cmp4.ge p6, p7 = 63, r14
	(p6) br.cond.dptk .L35
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	sxt4 r14 = r14
	;;
	shl r14 = r14, 8
	adds r15 = -16, r2
	;;
	ld8 r15 = [r15]
	;;
	add r15 = r15, r14
	adds r14 = -28, r2
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	shladd r14 = r14, 2, r0
	;;
	add r14 = r15, r14
	adds r15 = -24, r2
	;;
	ldfs f6 = [r15]
	;;
	stfs [r14] = f6
	adds r14 = -28, r2
	adds r15 = -28, r2
	;;
	ld4 r15 = [r15]
	;;
	adds r15 = 1, r15
	;;
	st4 [r14] = r15
.L33:
	adds r14 = -28, r2
	;;
	ld4 r14 = [r14]
	;;
	cmp4.ge p6, p7 = 63, r14
	(p6) br.cond.dptk .L36
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	adds r14 = 1, r14
	adds r15 = -32, r2
	;;
	st4 [r15] = r14
.L32:
	adds r15 = -32, r2
	;;
	ld4 r14 = [r15]
	;;
	cmp4.ge p6, p7 = 63, r14
	(p6) br.cond.dptk .L37
	nop 0
	nop 0
	.restore sp
	mov r12 = r2
	br.ret.sptk.many b0
	;;
	.endp multiply#
	.align 16
	.global compare#
	.type	compare#, @function
	.proc compare#
compare:
	.prologue 14, 34
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 4, 2, 0
	.vframe r36
	mov r36 = r12
	adds r12 = -16, r12
	.save rp, r34
	mov r34 = b0
	mov r37 = r1
	.body
	;;
	st8 [r36] = r32
	adds r14 = 8, r36
	;;
	st8 [r14] = r33
	br .L39
	;;
.L41:
	ld8 r14 = [r36]
	;;
	adds r14 = 1, r14
	;;
	st8 [r36] = r14
	adds r14 = 8, r36
	adds r15 = 8, r36
	;;
	ld8 r15 = [r15]
	;;
	adds r15 = 1, r15
	;;
	st8 [r14] = r15
.L39:
	ld8 r14 = [r36]
	;;
	ld1 r14 = [r14]
	;;
	sxt1 r14 = r14
	;;
	cmp4.eq p6, p7 = 0, r14
	(p6) br.cond.dptk .L40
	ld8 r14 = [r36]
	;;
	ld1 r14 = [r14]
	;;
	sxt1 r14 = r14
	;;
	mov r15 = r14
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	;;
	ld1 r14 = [r14]
	;;
	sxt1 r14 = r14
	;;
	cmp4.eq p6, p7 = r14, r15
	(p6) br.cond.dptk .L41
.L40:
	addl r14 = @gprel(calls#), gp
	;;
	ld4 r14 = [r14]
	;;
	sxt4 r14 = r14
	;;
	mov r39 = r14
	ld8 r38 = [r36]
	br.call.sptk.many b0 = observe#
	mov r1 = r37
	mov r14 = r8
	;;
	cmp4.eq p6, p7 = 0, r14
	(p6) br.cond.dptk .L42
	ld8 r14 = [r36]
	;;
	ld1 r14 = [r14]
	;;
	sxt1 r14 = r14
	;;
	mov r15 = r14
	adds r14 = 8, r36
	;;
	ld8 r14 = [r14]
	;;
	ld1 r14 = [r14]
	;;
	sxt1 r14 = r14
	;;
	sub r14 = r15, r14
	br .L44
	;;
.L42:
	mov r14 = r0
.L44:
	;;
	mov r8 = r14
	mov ar.pfs = r35
	mov b0 = r34
	.restore sp
	mov r12 = r36
	br.ret.sptk.many b0
	;;
	.endp compare#
	.ident	"GCC: (GNU) 12.2.0"
