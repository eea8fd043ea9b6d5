	.file	"kernels.c"
	.pred.safe_across_calls p1-p5,p16-p63
	.text
	.align 16
	.align 64
	.global daxpy#
	.type	daxpy#, @function
	.proc daxpy#
daxpy:
	.prologue
	nop 0
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	sxt4 r14 = r32
	cmp4.ge p6, p7 = 0, r32
	nop 0
	(p6) br.cond.dpnt .L1
	;;
	shladd r14 = r14, 3, r0
	;;
	adds r14 = -8, r14
	nop 0
	;;
	nop 0
	shr.u r14 = r14, 3
	;;
	mov ar.lc = r14
	.align 32
.L3:
	ldfd f7 = [r35], 8
	ldfd f6 = [r34], 8
	nop 0
	;;
	nop 0
	fma.d f6 = f6, f8, f7
	adds r14 = -8, r35
	;;
	stfd [r14] = f6
	nop 0
	br.cloop.sptk.few .L3
	;;
.L1:
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
	.endp daxpy#
	.align 16
	.align 64
	.global dot#
	.type	dot#, @function
	.proc dot#
dot:
	.prologue
	nop 0
	mov f8 = f0
	nop 0
	cmp4.ge p6, p7 = 0, r32
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	sxt4 r14 = r32
	;;
	shladd r14 = r14, 3, r0
	(p6) mov f8 = f0
	(p6) br.cond.dpnt .L7
	;;
	adds r14 = -8, r14
	nop 0
	;;
	shr.u r14 = r14, 3
	;;
	nop 0
	mov ar.lc = r14
	nop 0
	.align 32
.L9:
	ldfd f7 = [r33], 8
	ldfd f6 = [r34], 8
	nop 0
	;;
	nop 0
	fma.d f8 = f7, f6, f8
	br.cloop.sptk.few .L9
	;;
.L7:
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
	.endp dot#
	.align 16
	.align 64
	.global checksum#
	.type	checksum#, @function
	.proc checksum#
checksum:
	.prologue
	cmp.eq p6, p7 = 0, r33
	mov r16 = r0
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	addl r17 = 1, r0
	movl r14 = 4223091239536077
	;;
	setf.sig f6 = r14
	nop 0
	add r14 = r32, r33
	(p6) addl r8 = 1, r0
	nop 0
	(p6) br.cond.dpnt .L14
	;;
	sub r14 = r14, r32, 1
	nop 0
	;;
	mov ar.lc = r14
	.align 32
.L16:
	ld1 r15 = [r32]
	adds r32 = 1, r32
	;;
	add r15 = r17, r15
	;;
	addp4 r15 = r15, r0
	;;
	setf.sig f7 = r15
	nop 0
	;;
	nop 0
	nop 0
	xmpy.hu f7 = f7, f6
	;;
	getf.sig r14 = f7
	;;
	sub r17 = r15, r14
	nop 0
	;;
	nop 0
	shr.u r17 = r17, 1
	;;
	add r14 = r14, r17
	;;
	nop 0
	shr.u r14 = r14, 15
	;;
	shl r8 = r14, 12
	;;
	sub r8 = r8, r14
	;;
	shladd r8 = r8, 4, r0
	nop 0
	;;
	add r8 = r8, r14
	;;
	sub r8 = r15, r8
	nop 0
	;;
	add r16 = r16, r8
	mov r17 = r8
	;;
	addp4 r16 = r16, r0
	;;
	nop 0
	setf.sig f7 = r16
	nop 0
	;;
	nop 0
	nop 0
	xmpy.hu f7 = f7, f6
	;;
	getf.sig r15 = f7
	;;
	sub r14 = r16, r15
	nop 0
	;;
	nop 0
	shr.u r14 = r14, 1
	;;
	add r15 = r15, r14
	;;
	nop 0
	shr.u r15 = r15, 15
	;;
	shl r14 = r15, 12
	;;
	sub r14 = r14, r15
	;;
	shladd r14 = r14, 4, r0
	nop 0
	;;
	add r14 = r14, r15
	;;
	sub r14 = r16, r14
	nop 0
	;;
	nop 0
	mov r16 = r14
	br.cloop.sptk.few .L16
	nop 0
	dep.z r14 = r14, 16, 16
	;;
	or r8 = r14, r8
.L14:
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
	.endp checksum#
	.section	.rodata.str1.8,"aMS",@progbits,1
	.align 8
.LC0:
	stringz	"six"
	.text
	.align 16
	.align 64
	.global pick#
	.type	pick#, @function
	.proc pick#
pick:
	.prologue 12, 34
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
	cmp4.ltu p6, p7 = 6, r32
	.save rp, r34
	mov r34 = b0
	addl r14 = @ltoffx(.L24), r1
	addp4 r32 = r32, r0
	(p6) br.cond.spnt .L31
	;;
	shladd r32 = r32, 3, r0
	ld8.mov r14 = [r14], .L24
	mov r36 = r1
	.body
	;;
	add r32 = r32, r14
	;;
	ld8 r14 = [r32]
	nop 0
	;;
	nop 0
	add r32 = r32, r14
	nop 0
	;;
	nop 0
	mov b6 = r32
	br b6
	.section	.rodata
	.align 8
	.align 4
.L24:
	data8 @pcrel(.L30)
	data8 @pcrel(.L29)
	data8 @pcrel(.L28)
	data8 @pcrel(.L27)
	data8 @pcrel(.L26)
	data8 @pcrel(.L25)
	data8 @pcrel(.L23)
	.text
.L25:
	sub r8 = r0, r33
	nop 0
	mov b0 = r34
	;;
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L23:
	nop 0
	movl r37 = @gprel(.LC0)
	nop 0
	mov r38 = r33
	nop 0
	;;
	add r37 = r1, r37
	nop 0
	br.call.sptk.many b0 = observe#
	;;
	mov r1 = r36
	mov b0 = r34
	sxt4 r8 = r8
	;;
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L30:
	adds r8 = 3, r33
	nop 0
	mov b0 = r34
	;;
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L29:
	shladd r8 = r33, 3, r0
	nop 0
	mov b0 = r34
	;;
	sub r8 = r8, r33
	mov ar.pfs = r35
	br.ret.sptk.many b0
	;;
.L28:
	nop 0
	mov b0 = r34
	shr r8 = r33, 2
	;;
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L27:
	nop 0
	mov b0 = r34
	nop 0
	nop 0
	movl r8 = 81985529216486895
	;;
	xor r8 = r8, r33
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L26:
	nop 0
	movl r15 = 7378697629483820647
	setf.sig f6 = r33
	nop 0
	shr r14 = r33, 63
	;;
	setf.sig f7 = r15
	mov b0 = r34
	;;
	mov ar.pfs = r35
	;;
	nop 0
	nop 0
	xmpy.h f6 = f6, f7
	;;
	getf.sig r8 = f6
	;;
	nop 0
	shr r8 = r8, 2
	;;
	nop 0
	sub r8 = r8, r14
	br.ret.sptk.many b0
	;;
.L31:
	mov r8 = r0
	nop 0
	mov b0 = r34
	;;
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
	.endp pick#
	.align 16
	.align 64
	.global length#
	.type	length#, @function
	.proc length#
length:
	.prologue
	.body
	nop 0
	mov f8 = f0
	cmp.eq p6, p7 = 0, r32
	;;
	nop 0
	(p6) mov f8 = f0
	(p6) br.cond.dpnt .L34
	.align 32
.L36:
	mov r14 = r32
	nop 0
	adds r15 = 16, r32
	;;
	ldfd f6 = [r14], 8
	ld8 r32 = [r15]
	nop 0
	;;
	cmp.ne p6, p7 = 0, r32
	;;
	ldfd f7 = [r14]
	nop 0
	;;
	nop 0
	nop 0
	fmpy.d f7 = f7, f7
	;;
	nop 0
	nop 0
	fma.d f6 = f6, f6, f7
	;;
	nop 0
	fadd.d f8 = f8, f6
	(p6) br.cond.dptk .L36
.L34:
	nop 0
	nop 0
	br.ret.sptk.many b0
	.endp length#
	.align 16
	.align 64
	.global fibonacci#
	.type	fibonacci#, @function
	.proc fibonacci#
fibonacci:
	.prologue 12, 71
	.save ar.pfs, r72
	alloc r72 = ar.pfs, 1, 42, 1, 0
	addl r43 = @gprel(calls#), gp
	adds r55 = -2, r32
	adds r56 = -3, r32
	mov r73 = r1
	adds r50 = -1, r32
	;;
	ld4 r14 = [r43]
	and r63 = -2, r55
	.save ar.lc, r74
	mov r74 = ar.lc
	mov r62 = r0
	mov r8 = r32
	cmp4.ge p6, p7 = 1, r32
	;;
	adds r14 = 1, r14
	sub r63 = r56, r63
	.save rp, r71
	mov r71 = b0
	.body
	;;
	st4 [r43] = r14
	nop 0
	(p6) br.cond.dpnt .L42
.L59:
	adds r65 = -1, r50
	adds r57 = -3, r50
	mov r64 = r0
	mov r15 = r50
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r50
	;;
	nop 0
	nop 0
	(p6) br.cond.dpnt .L43
.L58:
	cmp4.eq p6, p7 = 1, r65
	nop 0
	adds r14 = 1, r14
	adds r37 = -4, r15
	nop 0
	mov r67 = r0
	;;
	(p6) adds r66 = -2, r15
	(p6) addl r16 = 1, r0
	(p6) br.cond.dpnt .L44
	;;
	adds r66 = -2, r15
	nop 0
	and r15 = -2, r57
	;;
	nop 0
	mov r51 = r66
	sub r58 = r37, r15
	;;
.L57:
	adds r69 = -1, r51
	adds r59 = -3, r51
	mov r68 = r0
	mov r35 = r51
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r51
	;;
	nop 0
	nop 0
	(p6) br.cond.dpnt .L45
.L56:
	cmp4.eq p6, p7 = 1, r69
	adds r14 = 1, r14
	mov r44 = r0
	;;
	(p6) adds r70 = -2, r35
	(p6) addl r15 = 1, r0
	(p6) br.cond.dpnt .L46
	;;
	adds r70 = -2, r35
	and r15 = -2, r59
	adds r35 = -4, r35
	;;
	nop 0
	mov r36 = r70
	sub r48 = r35, r15
	;;
.L55:
	adds r49 = -1, r36
	adds r38 = -3, r36
	mov r45 = r0
	mov r15 = r36
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r36
	;;
	nop 0
	nop 0
	(p6) br.cond.dpnt .L47
.L54:
	cmp4.eq p6, p7 = 1, r49
	adds r14 = 1, r14
	adds r46 = -6, r15
	adds r47 = -4, r15
	adds r33 = -5, r15
	mov r54 = r38
	;;
	(p6) addl r16 = 1, r0
	nop 0
	(p6) adds r42 = -2, r15
	mov r52 = r0
	nop 0
	(p6) br.cond.dpnt .L48
	;;
	adds r42 = -2, r15
	nop 0
	and r16 = -2, r38
	;;
	nop 0
	mov r53 = r42
	sub r46 = r46, r16
	;;
.L53:
	mov r39 = r33
	mov r40 = r54
	mov r41 = r0
	mov r34 = r53
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r53
	;;
	nop 0
	nop 0
	(p6) br.cond.dpnt .L49
.L52:
	cmp4.eq p6, p7 = 1, r40
	adds r14 = 1, r14
	mov r60 = r0
	;;
	(p6) adds r34 = -2, r34
	nop 0
	(p6) addl r16 = 1, r0
	st4 [r43] = r14
	nop 0
	(p6) br.cond.dpnt .L50
	;;
	adds r14 = -4, r34
	and r16 = -2, r39
	adds r34 = -2, r34
	;;
	sub r14 = r14, r16
	mov r61 = r34
	;;
	sub r14 = r34, r14
	;;
	adds r14 = -2, r14
	nop 0
	;;
	extr.u r14 = r14, 1, 31
	;;
	nop 0
	mov ar.lc = r14
	nop 0
.L51:
	mov r75 = r61
	adds r61 = -2, r61
	br.call.sptk.many b0 = fibonacci#
	;;
	ld4 r14 = [r43]
	mov r1 = r73
	add r60 = r60, r8
	;;
	nop 0
	adds r14 = 1, r14
	nop 0
	;;
	st4 [r43] = r14
	nop 0
	br.cloop.sptk.few .L51
	nop 0
	extr.u r16 = r39, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	sub r16 = r39, r16
	nop 0
	;;
	add r16 = r16, r60
	;;
.L50:
	add r41 = r41, r16
	adds r14 = 1, r14
	adds r40 = -2, r40
	adds r39 = -2, r39
	cmp4.lt p6, p7 = 1, r34
	(p6) br.cond.dptk .L52
	nop 0
	extr.u r15 = r47, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	sub r15 = r47, r15
	nop 0
	;;
	add r34 = r15, r41
	;;
.L49:
	adds r47 = -2, r47
	add r52 = r52, r34
	adds r14 = 1, r14
	adds r54 = -2, r54
	adds r53 = -2, r53
	adds r33 = -2, r33
	;;
	nop 0
	cmp4.ne p6, p7 = r47, r46
	(p6) br.cond.dptk .L53
	nop 0
	extr.u r16 = r38, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	sub r16 = r38, r16
	nop 0
	;;
	add r16 = r16, r52
	;;
.L48:
	mov r15 = r42
	add r45 = r45, r16
	adds r14 = 1, r14
	adds r49 = -2, r49
	adds r38 = -2, r38
	cmp4.lt p6, p7 = 1, r42
	;;
	nop 0
	nop 0
	(p6) br.cond.dptk .L54
	nop 0
	extr.u r15 = r35, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	sub r15 = r35, r15
	nop 0
	;;
	add r15 = r15, r45
	;;
.L47:
	adds r36 = -2, r36
	nop 0
	add r44 = r44, r15
	adds r14 = 1, r14
	nop 0
	adds r35 = -2, r35
	;;
	nop 0
	cmp4.ne p6, p7 = r36, r48
	(p6) br.cond.dptk .L55
	nop 0
	extr.u r15 = r59, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	sub r15 = r59, r15
	nop 0
	;;
	add r15 = r15, r44
	;;
.L46:
	mov r35 = r70
	add r68 = r68, r15
	adds r14 = 1, r14
	adds r69 = -2, r69
	adds r59 = -2, r59
	cmp4.lt p6, p7 = 1, r70
	;;
	nop 0
	nop 0
	(p6) br.cond.dptk .L56
	nop 0
	extr.u r35 = r37, 1, 31
	;;
	shladd r35 = r35, 1, r0
	;;
	sub r35 = r37, r35
	nop 0
	;;
	add r35 = r35, r68
	;;
.L45:
	adds r51 = -2, r51
	nop 0
	add r67 = r67, r35
	adds r14 = 1, r14
	nop 0
	adds r37 = -2, r37
	;;
	nop 0
	cmp4.ne p6, p7 = r51, r58
	(p6) br.cond.dptk .L57
	nop 0
	extr.u r16 = r57, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	sub r16 = r57, r16
	nop 0
	;;
	add r16 = r16, r67
	;;
.L44:
	mov r15 = r66
	add r64 = r64, r16
	adds r14 = 1, r14
	adds r65 = -2, r65
	adds r57 = -2, r57
	cmp4.lt p6, p7 = 1, r66
	;;
	nop 0
	nop 0
	(p6) br.cond.dptk .L58
	nop 0
	extr.u r15 = r56, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	sub r15 = r56, r15
	nop 0
	;;
	add r15 = r15, r64
	;;
.L43:
	adds r14 = 1, r14
	nop 0
	adds r50 = -2, r50
	add r62 = r62, r15
	nop 0
	adds r56 = -2, r56
	;;
	st4 [r43] = r14
	cmp4.ne p6, p7 = r50, r63
	(p6) br.cond.dptk .L59
	nop 0
	extr.u r14 = r55, 1, 31
	;;
	shladd r14 = r14, 1, r0
	;;
	sub r55 = r55, r14
	nop 0
	;;
	add r8 = r55, r62
.L42:
	nop 0
	mov b0 = r71
	;;
	mov ar.pfs = r72
	;;
	nop 0
	mov ar.lc = r74
	br.ret.sptk.many b0
	.endp fibonacci#
	.align 16
	.align 64
	.global multiply#
	.type	multiply#, @function
	.proc multiply#
multiply:
	.prologue
	nop 0
	.save ar.lc, r3
	mov r3 = ar.lc
	.body
	nop 0
	mov r2 = r33
	adds r20 = 256, r33
	adds r21 = 256, r34
	;;
	addl r2 = 16640, r2
	nop 0
	nop 0
.L88:
	mov r17 = r34
	mov r19 = r32
	adds r18 = -256, r20
	;;
	.align 32
.L92:
	nop 0
	mov f6 = f0
	sub r16 = r20, r18
	mov r15 = r18
	mov r14 = r17
	;;
	adds r16 = -4, r16
	;;
	nop 0
	shr.u r16 = r16, 2
	;;
	mov ar.lc = r16
	.align 32
.L89:
	nop 0
	ldfs f7 = [r14]
	adds r14 = 256, r14
	nop 0
	ldfs f8 = [r15], 4
	nop 0
	;;
	nop 0
	fma.s f6 = f8, f7, f6
	br.cloop.sptk.few .L89
	;;
	adds r17 = 4, r17
	stfs [r19] = f6, 4
	nop 0
	;;
	nop 0
	cmp.eq p6, p7 = r21, r17
	(p7) br.cond.dptk .L92
	adds r20 = 256, r15
	nop 0
	adds r32 = 256, r32
	;;
	nop 0
	cmp.eq p6, p7 = r2, r20
	(p7) br.cond.dptk .L88
	nop 0
	mov ar.lc = r3
	br.ret.sptk.many b0
	.endp multiply#
	.align 16
	.align 64
	.global compare#
	.type	compare#, @function
	.proc compare#
compare:
	.prologue 12, 34
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
	ld1 r14 = [r32]
	nop 0
	mov r15 = r33
	.save rp, r34
	mov r34 = b0
	mov r36 = r1
	.body
	;;
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	mov r16 = r14
	cmp4.eq p6, p7 = 0, r14
	(p6) br.cond.dpnt .L97
	.align 32
.L98:
	mov r33 = r15
	ld1 r14 = [r15], 1
	nop 0
	;;
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	cmp4.eq p6, p7 = r16, r14
	nop 0
	(p7) br.cond.dpnt .L97
	;;
	adds r32 = 1, r32
	;;
	ld1 r14 = [r32]
	nop 0
	;;
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	mov r16 = r14
	cmp4.ne p6, p7 = 0, r14
	(p6) br.cond.dptk .L98
	mov r33 = r15
	nop 0
	nop 0
.L97:
	addl r14 = @gprel(calls#), gp
	nop 0
	mov r37 = r32
	;;
	nop 0
	ld4 r38 = [r14]
	nop 0
	;;
	nop 0
	sxt4 r38 = r38
	br.call.sptk.many b0 = observe#
	;;
	cmp4.eq p6, p7 = 0, r8
	mov r1 = r36
	mov b0 = r34
	;;
	nop 0
	(p7) ld1 r8 = [r32]
	mov ar.pfs = r35
	nop 0
	(p7) ld1 r14 = [r33]
	nop 0
	;;
	nop 0
	(p7) sxt1 r8 = r8
	(p7) sxt1 r14 = r14
	;;
	nop 0
	(p7) sub r8 = r8, r14
	br.ret.sptk.many b0
	.endp compare#
	.sbss
	.align 4
	.type	calls#, @object
	.size	calls#, 4
calls:
	.skip	4
	.ident	"GCC: (GNU) 12.2.0"
