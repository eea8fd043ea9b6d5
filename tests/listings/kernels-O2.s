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
	.endp daxpy#
	.align 16
	.align 64
	.global dot#
	.type	dot#, @function
	.proc dot#
dot:
	.prologue
	.mfb
	nop 0
	mov f8 = f0
	nop 0
	.mii
	cmp4.ge p6, p7 = 0, r32
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	sxt4 r14 = r32
	;;
	.mfb
	shladd r14 = r14, 3, r0
	(p6) mov f8 = f0
	(p6) br.cond.dpnt .L7
	;;
	.mii
	adds r14 = -8, r14
	nop 0
	;;
	shr.u r14 = r14, 3
	;;
	.mii
	nop 0
	mov ar.lc = r14
	nop 0
	.align 32
.L9:
	.mmi
	ldfd f7 = [r33], 8
	ldfd f6 = [r34], 8
	nop 0
	;;
	.mfb
	nop 0
	fma.d f8 = f7, f6, f8
	br.cloop.sptk.few .L9
	;;
.L7:
	.mib
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
	.mmi
	cmp.eq p6, p7 = 0, r33
	mov r16 = r0
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	.mlx
	addl r17 = 1, r0
	movl r14 = 4223091239536077
	;;
	.mmi
	setf.sig f6 = r14
	nop 0
	add r14 = r32, r33
	.mmb
	(p6) addl r8 = 1, r0
	nop 0
	(p6) br.cond.dpnt .L14
	;;
	.mii
	sub r14 = r14, r32, 1
	nop 0
	;;
	mov ar.lc = r14
	.align 32
.L16:
	.mii
	ld1 r15 = [r32]
	adds r32 = 1, r32
	;;
	add r15 = r17, r15
	;;
	.mmi
	addp4 r15 = r15, r0
	;;
	setf.sig f7 = r15
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f7 = f7, f6
	;;
	.mmi
	getf.sig r14 = f7
	;;
	sub r17 = r15, r14
	nop 0
	;;
	.mii
	nop 0
	shr.u r17 = r17, 1
	;;
	add r14 = r14, r17
	;;
	.mii
	nop 0
	shr.u r14 = r14, 15
	;;
	shl r8 = r14, 12
	;;
	.mmi
	sub r8 = r8, r14
	;;
	shladd r8 = r8, 4, r0
	nop 0
	;;
	.mmi
	add r8 = r8, r14
	;;
	sub r8 = r15, r8
	nop 0
	;;
	.mii
	add r16 = r16, r8
	mov r17 = r8
	;;
	addp4 r16 = r16, r0
	;;
	.mmi
	nop 0
	setf.sig f7 = r16
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f7 = f7, f6
	;;
	.mmi
	getf.sig r15 = f7
	;;
	sub r14 = r16, r15
	nop 0
	;;
	.mii
	nop 0
	shr.u r14 = r14, 1
	;;
	add r15 = r15, r14
	;;
	.mii
	nop 0
	shr.u r15 = r15, 15
	;;
	shl r14 = r15, 12
	;;
	.mmi
	sub r14 = r14, r15
	;;
	shladd r14 = r14, 4, r0
	nop 0
	;;
	.mmi
	add r14 = r14, r15
	;;
	sub r14 = r16, r14
	nop 0
	;;
	.mib
	nop 0
	mov r16 = r14
	br.cloop.sptk.few .L16
	.mii
	nop 0
	dep.z r14 = r14, 16, 16
	;;
	or r8 = r14, r8
.L14:
	.mib
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
	.mmi
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
	cmp4.ltu p6, p7 = 6, r32
	.save rp, r34
	mov r34 = b0
	.mmb
	addl r14 = @ltoffx(.L24), r1
	addp4 r32 = r32, r0
	(p6) br.cond.spnt .L31
	;;
	.mmi
	shladd r32 = r32, 3, r0
	ld8.mov r14 = [r14], .L24
	mov r36 = r1
	.body
	;;
	.mmi
	add r32 = r32, r14
	;;
	ld8 r14 = [r32]
	nop 0
	;;
	.mmi
	nop 0
	add r32 = r32, r14
	nop 0
	;;
	.mib
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
	.mmi
	sub r8 = r0, r33
	nop 0
	mov b0 = r34
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L23:
	.mlx
	nop 0
	movl r37 = @gprel(.LC0)
	.mmi
	nop 0
	mov r38 = r33
	nop 0
	;;
	.mib
	add r37 = r1, r37
	nop 0
	br.call.sptk.many b0 = observe#
	;;
	.mii
	mov r1 = r36
	mov b0 = r34
	sxt4 r8 = r8
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L30:
	.mmi
	adds r8 = 3, r33
	nop 0
	mov b0 = r34
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L29:
	.mmi
	shladd r8 = r33, 3, r0
	nop 0
	mov b0 = r34
	;;
	.mib
	sub r8 = r8, r33
	mov ar.pfs = r35
	br.ret.sptk.many b0
	;;
.L28:
	.mii
	nop 0
	mov b0 = r34
	shr r8 = r33, 2
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L27:
	.mib
	nop 0
	mov b0 = r34
	nop 0
	.mlx
	nop 0
	movl r8 = 81985529216486895
	;;
	.mib
	xor r8 = r8, r33
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L26:
	.mlx
	nop 0
	movl r15 = 7378697629483820647
	.mmi
	setf.sig f6 = r33
	nop 0
	shr r14 = r33, 63
	;;
	.mii
	setf.sig f7 = r15
	mov b0 = r34
	;;
	mov ar.pfs = r35
	;;
	.mmf
	nop 0
	nop 0
	xmpy.h f6 = f6, f7
	;;
	.mmi
	getf.sig r8 = f6
	;;
	nop 0
	shr r8 = r8, 2
	;;
	.mib
	nop 0
	sub r8 = r8, r14
	br.ret.sptk.many b0
	;;
.L31:
	.mmi
	mov r8 = r0
	nop 0
	mov b0 = r34
	;;
	.mib
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
	.mfi
	nop 0
	mov f8 = f0
	cmp.eq p6, p7 = 0, r32
	;;
	.mfb
	nop 0
	(p6) mov f8 = f0
	(p6) br.cond.dpnt .L34
	.align 32
.L36:
	.mmi
	mov r14 = r32
	nop 0
	adds r15 = 16, r32
	;;
	.mmi
	ldfd f6 = [r14], 8
	ld8 r32 = [r15]
	nop 0
	;;
	.mmi
	cmp.ne p6, p7 = 0, r32
	;;
	ldfd f7 = [r14]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fmpy.d f7 = f7, f7
	;;
	.mmf
	nop 0
	nop 0
	fma.d f6 = f6, f6, f7
	;;
	.mfb
	nop 0
	fadd.d f8 = f8, f6
	(p6) br.cond.dptk .L36
.L34:
	.mib
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
	.mmi
	.save ar.pfs, r72
	alloc r72 = ar.pfs, 1, 42, 1, 0
	addl r43 = @gprel(calls#), gp
	adds r55 = -2, r32
	.mmi
	adds r56 = -3, r32
	mov r73 = r1
	adds r50 = -1, r32
	;;
	.mmi
	ld4 r14 = [r43]
	and r63 = -2, r55
	.save ar.lc, r74
	mov r74 = ar.lc
	.mmi
	mov r62 = r0
	mov r8 = r32
	cmp4.ge p6, p7 = 1, r32
	;;
	.mmi
	adds r14 = 1, r14
	sub r63 = r56, r63
	.save rp, r71
	mov r71 = b0
	.body
	;;
	.mib
	st4 [r43] = r14
	nop 0
	(p6) br.cond.dpnt .L42
.L59:
	.mmi
	adds r65 = -1, r50
	adds r57 = -3, r50
	mov r64 = r0
	.mmi
	mov r15 = r50
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r50
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L43
.L58:
	.mmi
	cmp4.eq p6, p7 = 1, r65
	nop 0
	adds r14 = 1, r14
	.mmi
	adds r37 = -4, r15
	nop 0
	mov r67 = r0
	;;
	.mib
	(p6) adds r66 = -2, r15
	(p6) addl r16 = 1, r0
	(p6) br.cond.dpnt .L44
	;;
	.mmi
	adds r66 = -2, r15
	nop 0
	and r15 = -2, r57
	;;
	.mmi
	nop 0
	mov r51 = r66
	sub r58 = r37, r15
	;;
.L57:
	.mmi
	adds r69 = -1, r51
	adds r59 = -3, r51
	mov r68 = r0
	.mmi
	mov r35 = r51
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r51
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L45
.L56:
	.mmi
	cmp4.eq p6, p7 = 1, r69
	adds r14 = 1, r14
	mov r44 = r0
	;;
	.mib
	(p6) adds r70 = -2, r35
	(p6) addl r15 = 1, r0
	(p6) br.cond.dpnt .L46
	;;
	.mmi
	adds r70 = -2, r35
	and r15 = -2, r59
	adds r35 = -4, r35
	;;
	.mmi
	nop 0
	mov r36 = r70
	sub r48 = r35, r15
	;;
.L55:
	.mmi
	adds r49 = -1, r36
	adds r38 = -3, r36
	mov r45 = r0
	.mmi
	mov r15 = r36
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r36
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L47
.L54:
	.mmi
	cmp4.eq p6, p7 = 1, r49
	adds r14 = 1, r14
	adds r46 = -6, r15
	.mmi
	adds r47 = -4, r15
	adds r33 = -5, r15
	mov r54 = r38
	;;
	.mmi
	(p6) addl r16 = 1, r0
	nop 0
	(p6) adds r42 = -2, r15
	.mmb
	mov r52 = r0
	nop 0
	(p6) br.cond.dpnt .L48
	;;
	.mmi
	adds r42 = -2, r15
	nop 0
	and r16 = -2, r38
	;;
	.mmi
	nop 0
	mov r53 = r42
	sub r46 = r46, r16
	;;
.L53:
	.mmi
	mov r39 = r33
	mov r40 = r54
	mov r41 = r0
	.mmi
	mov r34 = r53
	adds r14 = 1, r14
	cmp4.eq p6, p7 = 1, r53
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L49
.L52:
	.mmi
	cmp4.eq p6, p7 = 1, r40
	adds r14 = 1, r14
	mov r60 = r0
	;;
	.mmi
	(p6) adds r34 = -2, r34
	nop 0
	(p6) addl r16 = 1, r0
	.mmb
	st4 [r43] = r14
	nop 0
	(p6) br.cond.dpnt .L50
	;;
	.mmi
	adds r14 = -4, r34
	and r16 = -2, r39
	adds r34 = -2, r34
	;;
	.mii
	sub r14 = r14, r16
	mov r61 = r34
	;;
	sub r14 = r34, r14
	;;
	.mii
	adds r14 = -2, r14
	nop 0
	;;
	extr.u r14 = r14, 1, 31
	;;
	.mii
	nop 0
	mov ar.lc = r14
	nop 0
.L51:
	.mib
	mov r75 = r61
	adds r61 = -2, r61
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r14 = [r43]
	mov r1 = r73
	add r60 = r60, r8
	;;
	.mmi
	nop 0
	adds r14 = 1, r14
	nop 0
	;;
	.mib
	st4 [r43] = r14
	nop 0
	br.cloop.sptk.few .L51
	.mii
	nop 0
	extr.u r16 = r39, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	.mii
	sub r16 = r39, r16
	nop 0
	;;
	add r16 = r16, r60
	;;
.L50:
	.mmi
	add r41 = r41, r16
	adds r14 = 1, r14
	adds r40 = -2, r40
	.mmb
	adds r39 = -2, r39
	cmp4.lt p6, p7 = 1, r34
	(p6) br.cond.dptk .L52
	.mii
	nop 0
	extr.u r15 = r47, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	.mii
	sub r15 = r47, r15
	nop 0
	;;
	add r34 = r15, r41
	;;
.L49:
	.mmi
	adds r47 = -2, r47
	add r52 = r52, r34
	adds r14 = 1, r14
	.mmi
	adds r54 = -2, r54
	adds r53 = -2, r53
	adds r33 = -2, r33
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r47, r46
	(p6) br.cond.dptk .L53
	.mii
	nop 0
	extr.u r16 = r38, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	.mii
	sub r16 = r38, r16
	nop 0
	;;
	add r16 = r16, r52
	;;
.L48:
	.mmi
	mov r15 = r42
	add r45 = r45, r16
	adds r14 = 1, r14
	.mmi
	adds r49 = -2, r49
	adds r38 = -2, r38
	cmp4.lt p6, p7 = 1, r42
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L54
	.mii
	nop 0
	extr.u r15 = r35, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	.mii
	sub r15 = r35, r15
	nop 0
	;;
	add r15 = r15, r45
	;;
.L47:
	.mmi
	adds r36 = -2, r36
	nop 0
	add r44 = r44, r15
	.mmi
	adds r14 = 1, r14
	nop 0
	adds r35 = -2, r35
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r36, r48
	(p6) br.cond.dptk .L55
	.mii
	nop 0
	extr.u r15 = r59, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	.mii
	sub r15 = r59, r15
	nop 0
	;;
	add r15 = r15, r44
	;;
.L46:
	.mmi
	mov r35 = r70
	add r68 = r68, r15
	adds r14 = 1, r14
	.mmi
	adds r69 = -2, r69
	adds r59 = -2, r59
	cmp4.lt p6, p7 = 1, r70
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L56
	.mii
	nop 0
	extr.u r35 = r37, 1, 31
	;;
	shladd r35 = r35, 1, r0
	;;
	.mii
	sub r35 = r37, r35
	nop 0
	;;
	add r35 = r35, r68
	;;
.L45:
	.mmi
	adds r51 = -2, r51
	nop 0
	add r67 = r67, r35
	.mmi
	adds r14 = 1, r14
	nop 0
	adds r37 = -2, r37
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r51, r58
	(p6) br.cond.dptk .L57
	.mii
	nop 0
	extr.u r16 = r57, 1, 31
	;;
	shladd r16 = r16, 1, r0
	;;
	.mii
	sub r16 = r57, r16
	nop 0
	;;
	add r16 = r16, r67
	;;
.L44:
	.mmi
	mov r15 = r66
	add r64 = r64, r16
	adds r14 = 1, r14
	.mmi
	adds r65 = -2, r65
	adds r57 = -2, r57
	cmp4.lt p6, p7 = 1, r66
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L58
	.mii
	nop 0
	extr.u r15 = r56, 1, 31
	;;
	shladd r15 = r15, 1, r0
	;;
	.mii
	sub r15 = r56, r15
	nop 0
	;;
	add r15 = r15, r64
	;;
.L43:
	.mmi
	adds r14 = 1, r14
	nop 0
	adds r50 = -2, r50
	.mmi
	add r62 = r62, r15
	nop 0
	adds r56 = -2, r56
	;;
	.mib
	st4 [r43] = r14
	cmp4.ne p6, p7 = r50, r63
	(p6) br.cond.dptk .L59
	.mii
	nop 0
	extr.u r14 = r55, 1, 31
	;;
	shladd r14 = r14, 1, r0
	;;
	.mii
	sub r55 = r55, r14
	nop 0
	;;
	add r8 = r55, r62
.L42:
	.mii
	nop 0
	mov b0 = r71
	;;
	mov ar.pfs = r72
	;;
	.mib
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
	.mib
	nop 0
	.save ar.lc, r3
	mov r3 = ar.lc
	.body
	nop 0
	.mmi
	mov r2 = r33
	adds r20 = 256, r33
	adds r21 = 256, r34
	;;
	.mmi
	addl r2 = 16640, r2
	nop 0
	nop 0
.L88:
	.mmi
	mov r17 = r34
	mov r19 = r32
	adds r18 = -256, r20
	;;
	.align 32
.L92:
	.mfi
	nop 0
	mov f6 = f0
	sub r16 = r20, r18
	.mii
	mov r15 = r18
	mov r14 = r17
	;;
	adds r16 = -4, r16
	;;
	.mii
	nop 0
	shr.u r16 = r16, 2
	;;
	mov ar.lc = r16
	.align 32
.L89:
	.mmi
	nop 0
	ldfs f7 = [r14]
	adds r14 = 256, r14
	.mmi
	nop 0
	ldfs f8 = [r15], 4
	nop 0
	;;
	.mfb
	nop 0
	fma.s f6 = f8, f7, f6
	br.cloop.sptk.few .L89
	;;
	.mmi
	adds r17 = 4, r17
	stfs [r19] = f6, 4
	nop 0
	;;
	.mib
	nop 0
	cmp.eq p6, p7 = r21, r17
	(p7) br.cond.dptk .L92
	.mmi
	adds r20 = 256, r15
	nop 0
	adds r32 = 256, r32
	;;
	.mib
	nop 0
	cmp.eq p6, p7 = r2, r20
	(p7) br.cond.dptk .L88
	.mib
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
	.mmb
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
	ld1 r14 = [r32]
	nop 0
	.mii
	mov r15 = r33
	.save rp, r34
	mov r34 = b0
	mov r36 = r1
	.body
	;;
	.mii
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	.mib
	mov r16 = r14
	cmp4.eq p6, p7 = 0, r14
	(p6) br.cond.dpnt .L97
	.align 32
.L98:
	.mmi
	mov r33 = r15
	ld1 r14 = [r15], 1
	nop 0
	;;
	.mii
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	.mib
	cmp4.eq p6, p7 = r16, r14
	nop 0
	(p7) br.cond.dpnt .L97
	;;
	.mmi
	adds r32 = 1, r32
	;;
	ld1 r14 = [r32]
	nop 0
	;;
	.mii
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	.mib
	mov r16 = r14
	cmp4.ne p6, p7 = 0, r14
	(p6) br.cond.dptk .L98
	.mmi
	mov r33 = r15
	nop 0
	nop 0
.L97:
	.mmi
	addl r14 = @gprel(calls#), gp
	nop 0
	mov r37 = r32
	;;
	.mmi
	nop 0
	ld4 r38 = [r14]
	nop 0
	;;
	.mib
	nop 0
	sxt4 r38 = r38
	br.call.sptk.many b0 = observe#
	;;
	.mmi
	cmp4.eq p6, p7 = 0, r8
	mov r1 = r36
	mov b0 = r34
	;;
	.mmi
	nop 0
	(p7) ld1 r8 = [r32]
	mov ar.pfs = r35
	.mmi
	nop 0
	(p7) ld1 r14 = [r33]
	nop 0
	;;
	.mii
	nop 0
	(p7) sxt1 r8 = r8
	(p7) sxt1 r14 = r14
	;;
	.mib
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
