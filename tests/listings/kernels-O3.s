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
	.mib
	cmp4.ge p6, p7 = 0, r32
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	(p6) br.cond.dpnt .L1
	.mii
	nop 0
	sxt4 r32 = r32
	;;
	shladd r3 = r32, 3, r0
	;;
	.mii
	adds r14 = -8, r3
	add r8 = r35, r3
	;;
	shr.u r9 = r14, 3
	;;
	.mmi
	adds r10 = 1, r9
	;;
	and r15 = 7, r10
	nop 0
	;;
	.mib
	nop 0
	cmp.eq p8, p9 = 0, r15
	(p8) br.cond.dpnt .L18
	.mib
	nop 0
	cmp.eq p10, p11 = 1, r15
	(p10) br.cond.dpnt .L26
	.mib
	nop 0
	cmp.eq p12, p13 = 2, r15
	(p12) br.cond.dpnt .L27
	.mib
	nop 0
	cmp.eq p14, p15 = 3, r15
	(p14) br.cond.dpnt .L28
	.mib
	nop 0
	cmp.eq p6, p7 = 4, r15
	(p6) br.cond.dpnt .L29
	;;
	.mib
	nop 0
	cmp.eq p8, p9 = 5, r15
	(p8) br.cond.dpnt .L30
	.mib
	nop 0
	cmp.eq p10, p11 = 6, r15
	(p10) br.cond.dptk .L31
	.mmi
	ldfd f7 = [r35]
	ldfd f6 = [r34]
	nop 0
	.mmi
	mov r11 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f9 = f6, f8, f7
	;;
	.mmi
	stfd [r11] = f9
	nop 0
	nop 0
.L31:
	.mmi
	ldfd f10 = [r35]
	ldfd f11 = [r34]
	nop 0
	.mmi
	mov r16 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f12 = f11, f8, f10
	;;
	.mmi
	stfd [r16] = f12
	nop 0
	nop 0
.L30:
	.mmi
	ldfd f13 = [r35]
	ldfd f14 = [r34]
	nop 0
	.mmi
	mov r17 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f15 = f14, f8, f13
	;;
	.mmi
	stfd [r17] = f15
	nop 0
	nop 0
.L29:
	.mmi
	ldfd f32 = [r35]
	ldfd f33 = [r34]
	nop 0
	.mmi
	mov r18 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f34 = f33, f8, f32
	;;
	.mmi
	stfd [r18] = f34
	nop 0
	nop 0
.L28:
	.mmi
	ldfd f35 = [r35]
	ldfd f36 = [r34]
	nop 0
	.mmi
	mov r19 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f37 = f36, f8, f35
	;;
	.mmi
	stfd [r19] = f37
	nop 0
	nop 0
.L27:
	.mmi
	ldfd f38 = [r35]
	ldfd f39 = [r34]
	nop 0
	.mmi
	mov r20 = r35
	adds r35 = 8, r35
	adds r34 = 8, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f40 = f39, f8, f38
	;;
	.mmi
	stfd [r20] = f40
	nop 0
	nop 0
.L26:
	.mmi
	ldfd f41 = [r35]
	ldfd f42 = [r34]
	adds r35 = 8, r35
	.mmi
	adds r34 = 8, r34
	;;
	adds r21 = -8, r35
	cmp.ne p12, p13 = r35, r8
	;;
	.mmf
	nop 0
	nop 0
	fma.d f43 = f42, f8, f41
	;;
	.mib
	stfd [r21] = f43
	nop 0
	(p13) br.cond.dpnt .L1
.L18:
	.mmi
	adds r24 = 8, r34
	adds r29 = 8, r35
	adds r27 = 16, r34
	.mmi
	adds r28 = 16, r35
	adds r8 = 24, r34
	adds r30 = 24, r35
	;;
	.mmi
	nop 0
	ldfd.sa f44 = [r34]
	shr.u r22 = r10, 3
	.mmi
	adds r9 = 32, r34
	adds r31 = 32, r35
	adds r10 = 40, r34
	;;
	.mmi
	nop 0
	ldfd.sa f45 = [r35]
	adds r23 = -1, r22
	.mmi
	ldfd.a f47 = [r24]
	;;
	ldfd.a f48 = [r29]
	mov ar.lc = r23
	.mmi
	ldfd.a f51 = [r27]
	;;
	ldfd.a f50 = [r28]
	nop 0
	.mmi
	ldfd.a f53 = [r8]
	;;
	ldfd.a f54 = [r30]
	nop 0
.L3:
	.mmi
	ldfd.c.clr f44 = [r34]
	adds r15 = 48, r34
	adds r14 = 56, r34
	.mmi
	adds r34 = 64, r34
	ldfd.c.clr f45 = [r35]
	adds r32 = 40, r35
	;;
	.mfi
	nop 0
	fma.d f46 = f44, f8, f45
	adds r3 = 48, r35
	.mmi
	adds r25 = 56, r35
	;;
	ldfd.a f56 = [r9]
	nop 0
	.mmi
	ldfd.a f57 = [r31]
	;;
	stfd [r35] = f46
	adds r35 = 64, r35
	;;
	.mmi
	adds r11 = -8, r35
	ldfd.c.clr f47 = [r24]
	adds r24 = 8, r34
	.mmi
	nop 0
	ldfd.c.clr f48 = [r29]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f49 = f47, f8, f48
	;;
	.mmi
	ldfd.a f59 = [r10]
	ldfd.a f60 = [r32]
	nop 0
	;;
	.mmi
	stfd [r29] = f49
	nop 0
	adds r29 = 8, r35
	;;
	.mmi
	ldfd.c.clr f50 = [r28]
	ldfd.c.clr f51 = [r27]
	adds r27 = 16, r34
	;;
	.mmf
	nop 0
	nop 0
	fma.d f52 = f51, f8, f50
	;;
	.mmi
	ldfd.a f62 = [r15]
	ldfd.a f63 = [r3]
	nop 0
	;;
	.mmi
	stfd [r28] = f52
	nop 0
	adds r28 = 16, r35
	;;
	.mmi
	nop 0
	ldfd.c.clr f53 = [r8]
	adds r8 = 24, r34
	.mmi
	nop 0
	ldfd.c.clr f54 = [r30]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f55 = f53, f8, f54
	;;
	.mmi
	ldfd.a f65 = [r25]
	ldfd.a f66 = [r14]
	nop 0
	;;
	.mmi
	stfd [r30] = f55
	nop 0
	adds r30 = 24, r35
	;;
	.mmi
	nop 0
	ldfd.c.clr f56 = [r9]
	adds r9 = 32, r34
	.mmi
	nop 0
	ldfd.c.clr f57 = [r31]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f58 = f56, f8, f57
	;;
	.mmi
	ldfd.sa f44 = [r34]
	ldfd.sa f45 = [r35]
	nop 0
	;;
	.mmi
	ldfd.sa f47 = [r24]
	ldfd.sa f48 = [r29]
	nop 0
	;;
	.mmi
	stfd [r31] = f58
	nop 0
	adds r31 = 32, r35
	;;
	.mmi
	nop 0
	ldfd.c.clr f59 = [r10]
	adds r10 = 40, r34
	.mmi
	nop 0
	ldfd.c.clr f60 = [r32]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f61 = f59, f8, f60
	.mmi
	ldfd.sa f51 = [r27]
	ldfd.sa f50 = [r28]
	nop 0
	;;
	.mmi
	ldfd.sa f53 = [r8]
	ldfd.sa f54 = [r30]
	nop 0
	;;
	.mmi
	nop 0
	stfd [r32] = f61
	nop 0
	;;
	.mmi
	ldfd.c.clr f62 = [r15]
	ldfd.c.clr f63 = [r3]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f64 = f62, f8, f63
	;;
	.mmi
	nop 0
	stfd [r3] = f64
	nop 0
	;;
	.mmi
	ldfd.c.clr f65 = [r25]
	ldfd.c.clr f66 = [r14]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f67 = f66, f8, f65
	;;
	.mib
	stfd [r11] = f67
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
	.mmi
	cmp4.ge p6, p7 = 0, r32
	nop 0
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	;;
	.mfb
	nop 0
	(p6) mov f8 = f0
	(p6) br.cond.dpnt .L42
	;;
	.mii
	nop 0
	sxt4 r32 = r32
	nop 0
	.mfi
	nop 0
	mov f8 = f0
	nop 0
	;;
	.mmi
	shladd r3 = r32, 3, r0
	;;
	adds r14 = -8, r3
	add r8 = r33, r3
	;;
	.mii
	nop 0
	shr.u r9 = r14, 3
	;;
	adds r10 = 1, r9
	;;
	.mmi
	nop 0
	and r15 = 7, r10
	nop 0
	;;
	.mib
	nop 0
	cmp.eq p8, p9 = 0, r15
	(p8) br.cond.dpnt .L60
	.mib
	nop 0
	cmp.eq p10, p11 = 1, r15
	(p10) br.cond.dpnt .L68
	.mib
	nop 0
	cmp.eq p12, p13 = 2, r15
	(p12) br.cond.dpnt .L69
	.mib
	nop 0
	cmp.eq p14, p15 = 3, r15
	(p14) br.cond.dpnt .L70
	.mib
	nop 0
	cmp.eq p6, p7 = 4, r15
	(p6) br.cond.dpnt .L71
	;;
	.mib
	nop 0
	cmp.eq p8, p9 = 5, r15
	(p8) br.cond.dpnt .L72
	.mib
	nop 0
	cmp.eq p10, p11 = 6, r15
	(p10) br.cond.dptk .L73
	.mmi
	ldfd f7 = [r33]
	ldfd f6 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f7, f6, f8
	nop 0
.L73:
	.mmi
	ldfd f9 = [r33]
	ldfd f10 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f9, f10, f8
	nop 0
.L72:
	.mmi
	ldfd f11 = [r33]
	ldfd f12 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f11, f12, f8
	nop 0
.L71:
	.mmi
	ldfd f13 = [r33]
	ldfd f14 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f13, f14, f8
	nop 0
.L70:
	.mmi
	ldfd f15 = [r33]
	ldfd f32 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f15, f32, f8
	nop 0
.L69:
	.mmi
	ldfd f33 = [r33]
	ldfd f34 = [r34]
	adds r33 = 8, r33
	.mmi
	nop 0
	adds r34 = 8, r34
	nop 0
	;;
	.mfi
	nop 0
	fma.d f8 = f33, f34, f8
	nop 0
.L68:
	.mmi
	ldfd f35 = [r33]
	ldfd f36 = [r34]
	adds r33 = 8, r33
	.mmi
	adds r34 = 8, r34
	;;
	cmp.ne p12, p13 = r33, r8
	nop 0
	;;
	.mfb
	nop 0
	fma.d f8 = f35, f36, f8
	(p13) br.cond.dpnt .L42
.L60:
	.mmi
	adds r18 = 8, r33
	adds r19 = 8, r34
	adds r21 = 16, r33
	.mmi
	adds r22 = 16, r34
	adds r20 = 24, r33
	adds r17 = 24, r34
	;;
	.mmi
	adds r23 = 32, r33
	adds r24 = 32, r34
	adds r25 = 40, r33
	.mmi
	adds r26 = 40, r34
	adds r27 = 48, r33
	adds r28 = 48, r34
	;;
	.mmi
	adds r29 = 56, r33
	ldfd.s f39 = [r33]
	adds r30 = 56, r34
	.mmi
	ldfd.s f38 = [r34]
	ldfd.s f6 = [r18]
	shr.u r11 = r10, 3
	;;
	.mmi
	ldfd.s f7 = [r19]
	ldfd.s f9 = [r21]
	adds r16 = -1, r11
	.mmi
	ldfd.s f10 = [r22]
	ldfd.s f11 = [r20]
	nop 0
	;;
	.mmi
	ldfd.s f12 = [r17]
	ldfd.s f13 = [r23]
	mov ar.lc = r16
	.mmi
	ldfd.s f14 = [r24]
	ldfd.s f15 = [r25]
	nop 0
	;;
	.mmi
	ldfd.s f32 = [r26]
	ldfd.s f33 = [r27]
	nop 0
	.mmi
	ldfd.s f34 = [r28]
	ldfd.s f35 = [r29]
	nop 0
	;;
	.mmi
	ldfd.s f36 = [r30]
	nop 0
	nop 0
.L44:
	.mmi
	chk.s f39, .L84
	nop 0
	nop 0
.L85:
	.mmi
	adds r33 = 64, r33
	chk.s f38, .L86
	nop 0
.L87:
	.mmi
	chk.s f6, .L88
	nop 0
	nop 0
.L89:
	.mmf
	nop 0
	nop 0
	mov f40 = f6
	;;
	.mmi
	chk.s f7, .L90
	nop 0
	nop 0
.L91:
	.mfi
	nop 0
	mov f37 = f7
	nop 0
	.mmi
	adds r34 = 64, r34
	;;
	chk.s f9, .L92
	nop 0
.L93:
	.mmf
	adds r18 = 8, r33
	nop 0
	mov f42 = f9
	;;
	.mmi
	chk.s f10, .L94
	nop 0
	nop 0
.L95:
	.mmi
	adds r19 = 8, r34
	nop 0
	adds r21 = 16, r33
	.mmf
	adds r22 = 16, r34
	nop 0
	mov f43 = f10
	;;
	.mmi
	chk.s f11, .L96
	nop 0
	nop 0
.L97:
	.mmf
	adds r20 = 24, r33
	nop 0
	mov f41 = f11
	;;
	.mmi
	chk.s f12, .L98
	nop 0
	nop 0
.L99:
	.mmf
	adds r17 = 24, r34
	nop 0
	mov f44 = f12
	;;
	.mmi
	chk.s f13, .L100
	nop 0
	nop 0
.L101:
	.mmf
	adds r23 = 32, r33
	nop 0
	mov f45 = f13
	;;
	.mmi
	chk.s f14, .L102
	nop 0
	nop 0
.L103:
	.mmf
	nop 0
	nop 0
	fma.d f8 = f39, f38, f8
	.mmf
	adds r24 = 32, r34
	nop 0
	mov f46 = f14
	;;
	.mmi
	chk.s f15, .L104
	nop 0
	nop 0
.L105:
	.mmf
	adds r25 = 40, r33
	nop 0
	mov f47 = f15
	;;
	.mmi
	chk.s f32, .L106
	nop 0
	nop 0
.L107:
	.mmf
	adds r26 = 40, r34
	nop 0
	mov f48 = f32
	;;
	.mmi
	chk.s f33, .L108
	nop 0
	nop 0
.L109:
	.mmf
	adds r27 = 48, r33
	nop 0
	mov f49 = f33
	;;
	.mmi
	chk.s f34, .L110
	nop 0
	nop 0
.L111:
	.mmi
	ldfd.s f39 = [r33]
	nop 0
	adds r28 = 48, r34
	.mmf
	ldfd.s f38 = [r34]
	nop 0
	mov f50 = f34
	;;
	.mmi
	chk.s f35, .L112
	nop 0
	nop 0
.L113:
	.mmi
	nop 0
	ldfd.s f6 = [r18]
	adds r29 = 56, r33
	.mmf
	ldfd.s f7 = [r19]
	ldfd.s f9 = [r21]
	mov f51 = f35
	;;
	.mmi
	ldfd.s f10 = [r22]
	chk.s f36, .L114
	nop 0
.L115:
	.mfi
	nop 0
	fma.d f53 = f40, f37, f8
	nop 0
	.mmf
	adds r30 = 56, r34
	ldfd.s f11 = [r20]
	mov f52 = f36
	;;
	.mmi
	ldfd.s f12 = [r17]
	ldfd.s f13 = [r23]
	nop 0
	.mmi
	ldfd.s f14 = [r24]
	ldfd.s f15 = [r25]
	nop 0
	;;
	.mmi
	ldfd.s f32 = [r26]
	ldfd.s f33 = [r27]
	nop 0
	.mmi
	ldfd.s f34 = [r28]
	ldfd.s f35 = [r29]
	nop 0
	;;
	.mmi
	nop 0
	ldfd.s f36 = [r30]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.d f54 = f42, f43, f53
	;;
	.mmf
	nop 0
	nop 0
	fma.d f55 = f41, f44, f54
	;;
	.mmf
	nop 0
	nop 0
	fma.d f56 = f45, f46, f55
	;;
	.mmf
	nop 0
	nop 0
	fma.d f57 = f47, f48, f56
	;;
	.mmf
	nop 0
	nop 0
	fma.d f58 = f49, f50, f57
	;;
	.mfb
	nop 0
	fma.d f8 = f51, f52, f58
	br.cloop.sptk.few .L44
	;;
.L42:
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
.L84:
	.mib
	ldfd f39 = [r33]
	nop 0
	br .L85
.L86:
	.mib
	ldfd f38 = [r34]
	nop 0
	br .L87
.L88:
	.mib
	ldfd f6 = [r18]
	nop 0
	br .L89
.L90:
	.mib
	ldfd f7 = [r19]
	nop 0
	br .L91
.L92:
	.mib
	ldfd f9 = [r21]
	nop 0
	br .L93
.L94:
	.mib
	ldfd f10 = [r22]
	nop 0
	br .L95
.L96:
	.mib
	ldfd f11 = [r20]
	nop 0
	br .L97
.L98:
	.mib
	ldfd f12 = [r17]
	nop 0
	br .L99
.L100:
	.mib
	ldfd f13 = [r23]
	nop 0
	br .L101
.L102:
	.mib
	ldfd f14 = [r24]
	nop 0
	br .L103
.L104:
	.mib
	ldfd f15 = [r25]
	nop 0
	br .L105
.L106:
	.mib
	ldfd f32 = [r26]
	nop 0
	br .L107
.L108:
	.mib
	ldfd f33 = [r27]
	nop 0
	br .L109
.L110:
	.mib
	ldfd f34 = [r28]
	nop 0
	br .L111
.L112:
	.mib
	ldfd f35 = [r29]
	nop 0
	br .L113
.L114:
	.mib
	ldfd f36 = [r30]
	nop 0
	br .L115
	.endp dot#
	.align 16
	.align 64
	.global checksum#
	.type	checksum#, @function
	.proc checksum#
checksum:
	.prologue
	.mmi
	mov r14 = r32
	cmp.eq p6, p7 = 0, r33
	.save ar.lc, r2
	mov r2 = ar.lc
	.body
	.mmi
	mov r3 = r0
	addl r24 = 1, r0
	mov r17 = r33
	;;
	.mlx
	nop 0
	movl r16 = 4223091239536077
	.mmi
	(p6) addl r8 = 1, r0
	nop 0
	add r33 = r32, r33
	;;
	.mmi
	setf.sig f6 = r16
	nop 0
	tbit.z p8, p9 = r17, 0
	.bbb
	nop 0
	(p6) br.cond.dpnt .L116
	(p8) br.cond.dptk .L122
	;;
	.mii
	ld1 r8 = [r14]
	adds r32 = 1, r32
	;;
	adds r3 = 1, r8
	.mmi
	cmp.ne p10, p11 = r33, r32
	;;
	setf.sig f7 = r3
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f8 = f7, f6
	;;
	.mmi
	getf.sig r9 = f8
	;;
	sub r15 = r3, r9
	nop 0
	;;
	.mii
	nop 0
	shr.u r10 = r15, 1
	;;
	add r11 = r9, r10
	;;
	.mii
	nop 0
	shr.u r18 = r11, 15
	;;
	shl r19 = r18, 12
	;;
	.mmi
	sub r20 = r19, r18
	;;
	shladd r21 = r20, 4, r0
	nop 0
	;;
	.mmi
	nop 0
	add r22 = r21, r18
	nop 0
	;;
	.mmi
	sub r23 = r3, r22
	;;
	addp4 r25 = r23, r0
	mov r24 = r23
	;;
	.mmi
	nop 0
	setf.sig f9 = r25
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f10 = f9, f6
	;;
	.mmi
	getf.sig r26 = f10
	;;
	sub r27 = r25, r26
	nop 0
	;;
	.mii
	nop 0
	shr.u r28 = r27, 1
	;;
	add r29 = r26, r28
	;;
	.mii
	nop 0
	shr.u r30 = r29, 15
	;;
	shl r31 = r30, 12
	;;
	.mmi
	sub r16 = r31, r30
	;;
	shladd r33 = r16, 4, r0
	nop 0
	;;
	.mmi
	add r14 = r33, r30
	;;
	sub r8 = r25, r14
	nop 0
	;;
	.mib
	nop 0
	mov r3 = r8
	(p11) br.cond.dpnt .L126
.L122:
	.mii
	nop 0
	shr.u r17 = r17, 1
	nop 0
	.mmi
	ld1.s r15 = [r32]
	nop 0
	nop 0
	;;
	.mmi
	adds r9 = -1, r17
	;;
	nop 0
	mov ar.lc = r9
.L118:
	.mmi
	chk.s r15, .L129
	nop 0
	nop 0
.L130:
	.mmi
	add r10 = r24, r15
	nop 0
	adds r32 = 1, r32
	;;
	.mmi
	addp4 r18 = r10, r0
	ld1 r11 = [r32]
	adds r32 = 1, r32
	;;
	.mmi
	nop 0
	setf.sig f11 = r18
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f12 = f11, f6
	;;
	.mmi
	getf.sig r19 = f12
	;;
	sub r20 = r18, r19
	nop 0
	;;
	.mii
	nop 0
	shr.u r21 = r20, 1
	;;
	add r22 = r19, r21
	;;
	.mii
	nop 0
	shr.u r23 = r22, 15
	;;
	shl r24 = r23, 12
	;;
	.mmi
	sub r25 = r24, r23
	;;
	shladd r26 = r25, 4, r0
	nop 0
	;;
	.mmi
	nop 0
	add r27 = r26, r23
	nop 0
	;;
	.mmi
	sub r28 = r18, r27
	;;
	add r29 = r3, r28
	add r30 = r28, r11
	;;
	.mmi
	addp4 r31 = r29, r0
	nop 0
	addp4 r33 = r30, r0
	;;
	.mmi
	setf.sig f13 = r31
	setf.sig f15 = r33
	nop 0
	;;
	.mfi
	nop 0
	xmpy.hu f14 = f13, f6
	nop 0
	.mfi
	nop 0
	xmpy.hu f32 = f15, f6
	nop 0
	;;
	.mmi
	getf.sig r14 = f14
	;;
	getf.sig r16 = f32
	nop 0
	;;
	.mmi
	sub r8 = r31, r14
	;;
	sub r3 = r33, r16
	shr.u r17 = r8, 1
	;;
	.mii
	nop 0
	shr.u r9 = r3, 1
	add r15 = r14, r17
	;;
	.mmi
	nop 0
	add r10 = r16, r9
	shr.u r11 = r15, 15
	.mmi
	nop 0
	ld1.s r15 = [r32]
	nop 0
	;;
	.mii
	nop 0
	shr.u r19 = r10, 15
	shl r18 = r11, 12
	;;
	.mii
	nop 0
	shl r20 = r19, 12
	sub r21 = r18, r11
	;;
	.mii
	sub r22 = r20, r19
	shladd r23 = r21, 4, r0
	;;
	shladd r24 = r22, 4, r0
	.mmi
	add r25 = r23, r11
	;;
	add r26 = r24, r19
	sub r27 = r31, r25
	;;
	.mmi
	sub r23 = r33, r26
	;;
	add r28 = r27, r23
	mov r24 = r23
	;;
	.mmi
	addp4 r29 = r28, r0
	;;
	setf.sig f33 = r29
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xmpy.hu f34 = f33, f6
	;;
	.mmi
	getf.sig r30 = f34
	;;
	sub r31 = r29, r30
	nop 0
	;;
	.mii
	nop 0
	shr.u r33 = r31, 1
	;;
	add r14 = r30, r33
	;;
	.mii
	nop 0
	shr.u r8 = r14, 15
	;;
	shl r16 = r8, 12
	;;
	.mmi
	sub r3 = r16, r8
	;;
	shladd r17 = r3, 4, r0
	nop 0
	;;
	.mmi
	add r9 = r17, r8
	;;
	sub r8 = r29, r9
	nop 0
	;;
	.mib
	nop 0
	mov r3 = r8
	br.cloop.sptk.few .L118
.L126:
	.mii
	nop 0
	dep.z r32 = r8, 16, 16
	;;
	or r8 = r32, r23
.L116:
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
.L129:
	.mib
	ld1 r15 = [r32]
	nop 0
	br .L130
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
	addl r14 = @ltoffx(.L134), r1
	nop 0
	.mmi
	mov r36 = r1
	cmp4.ltu p6, p7 = 6, r32
	addp4 r32 = r32, r0
	;;
	.mib
	shladd r2 = r32, 3, r0
	.save rp, r34
	mov r34 = b0
	.body
	(p6) br.cond.spnt .L141
	;;
	.mmi
	ld8.mov r3 = [r14], .L134
	;;
	add r8 = r2, r3
	nop 0
	;;
	.mmi
	ld8 r9 = [r8]
	;;
	add r10 = r8, r9
	nop 0
	;;
	.mib
	nop 0
	mov b6 = r10
	br b6
	.section	.rodata
	.align 8
	.align 4
.L134:
	data8 @pcrel(.L140)
	data8 @pcrel(.L139)
	data8 @pcrel(.L138)
	data8 @pcrel(.L137)
	data8 @pcrel(.L136)
	data8 @pcrel(.L135)
	data8 @pcrel(.L133)
	.text
.L135:
	.mmi
	sub r8 = r0, r33
	nop 0
	mov ar.pfs = r35
	;;
	.mib
	nop 0
	mov b0 = r34
	br.ret.sptk.many b0
.L133:
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
	mov ar.pfs = r35
	sxt4 r8 = r8
	;;
	.mib
	nop 0
	mov b0 = r34
	br.ret.sptk.many b0
.L140:
	.mmi
	adds r8 = 3, r33
	nop 0
	mov ar.pfs = r35
	;;
	.mib
	nop 0
	mov b0 = r34
	br.ret.sptk.many b0
.L139:
	.mmi
	shladd r19 = r33, 3, r0
	nop 0
	mov ar.pfs = r35
	;;
	.mib
	sub r8 = r19, r33
	mov b0 = r34
	br.ret.sptk.many b0
	;;
.L138:
	.mii
	nop 0
	mov ar.pfs = r35
	shr r8 = r33, 2
	;;
	.mib
	nop 0
	mov b0 = r34
	br.ret.sptk.many b0
.L137:
	.mib
	nop 0
	mov ar.pfs = r35
	nop 0
	.mlx
	nop 0
	movl r18 = 81985529216486895
	;;
	.mib
	xor r8 = r18, r33
	mov b0 = r34
	br.ret.sptk.many b0
.L136:
	.mlx
	nop 0
	movl r15 = 7378697629483820647
	.mmi
	setf.sig f6 = r33
	nop 0
	shr r11 = r33, 63
	;;
	.mii
	setf.sig f7 = r15
	mov ar.pfs = r35
	;;
	mov b0 = r34
	;;
	.mmf
	nop 0
	nop 0
	xmpy.h f8 = f6, f7
	;;
	.mmi
	getf.sig r16 = f8
	;;
	nop 0
	shr r17 = r16, 2
	;;
	.mib
	nop 0
	sub r8 = r17, r11
	br.ret.sptk.many b0
	;;
.L141:
	.mmi
	mov r8 = r0
	nop 0
	mov ar.pfs = r35
	;;
	.mib
	nop 0
	mov b0 = r34
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
	(p6) br.cond.dpnt .L144
	.mmi
	adds r14 = 8, r32
	ldfd.s f32 = [r32]
	nop 0
	;;
	.mmi
	ldfd.s f33 = [r14]
	nop 0
	nop 0
	.align 32
.L146:
	.mmi
	chk.s f32, .L151
	nop 0
	nop 0
.L152:
	.mfi
	nop 0
	mov f6 = f32
	adds r32 = 16, r32
	;;
	.mmi
	ld8 r32 = [r32]
	chk.s f33, .L153
	nop 0
.L154:
	.mmf
	nop 0
	nop 0
	mov f7 = f33
	;;
	.mmi
	adds r14 = 8, r32
	ldfd.s f32 = [r32]
	cmp.ne p8, p9 = 0, r32
	;;
	.mmi
	nop 0
	ldfd.s f33 = [r14]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fmpy.d f9 = f7, f7
	;;
	.mmf
	nop 0
	nop 0
	fma.d f10 = f6, f6, f9
	;;
	.mfb
	nop 0
	fadd.d f8 = f8, f10
	(p8) br.cond.dptk .L146
.L144:
	.mib
	nop 0
	nop 0
	br.ret.sptk.many b0
.L151:
	.mib
	ldfd f32 = [r32]
	nop 0
	br .L152
.L153:
	.mib
	ldfd f33 = [r14]
	nop 0
	br .L154
	.endp length#
	.align 16
	.align 64
	.global fibonacci#
	.type	fibonacci#, @function
	.proc fibonacci#
fibonacci:
	.prologue 12, 73
	.mmi
	.save ar.pfs, r74
	alloc r74 = ar.pfs, 1, 44, 1, 0
	addl r35 = @gprel(calls#), gp
	adds r59 = -2, r32
	.mmi
	mov r8 = r32
	adds r57 = -1, r32
	adds r60 = -3, r32
	;;
	.mmi
	ld4 r14 = [r35]
	mov r64 = r0
	.save ar.lc, r76
	mov r76 = ar.lc
	.mmi
	and r65 = -2, r59
	mov r75 = r1
	cmp4.ge p6, p7 = 1, r32
	;;
	.mmi
	adds r23 = 1, r14
	sub r65 = r60, r65
	.save rp, r73
	mov r73 = b0
	.body
	;;
	.mib
	st4 [r35] = r23
	nop 0
	(p6) br.cond.dpnt .L156
.L173:
	.mmi
	mov r22 = r57
	adds r21 = 1, r23
	mov r66 = r0
	.mmi
	adds r67 = -1, r57
	adds r61 = -3, r57
	cmp4.eq p8, p9 = 1, r57
	;;
	.mib
	nop 0
	nop 0
	(p8) br.cond.dpnt .L157
.L172:
	.mmi
	cmp4.eq p10, p11 = 1, r67
	adds r41 = -4, r22
	and r11 = -2, r61
	.mii
	adds r49 = 1, r21
	mov r69 = r0
	;;
	(p10) adds r68 = -2, r22
	.mmb
	(p10) addl r16 = 1, r0
	sub r62 = r41, r11
	(p10) br.cond.dpnt .L158
	;;
	.mii
	adds r68 = -2, r22
	nop 0
	;;
	mov r58 = r68
	;;
.L171:
	.mmi
	mov r19 = r58
	adds r32 = 1, r49
	mov r70 = r0
	.mmi
	adds r71 = -1, r58
	adds r63 = -3, r58
	cmp4.eq p12, p13 = 1, r58
	;;
	.mib
	nop 0
	nop 0
	(p12) br.cond.dpnt .L159
.L170:
	.mmi
	cmp4.eq p14, p15 = 1, r71
	adds r38 = -4, r19
	and r15 = -2, r63
	.mii
	adds r3 = 1, r32
	mov r47 = r0
	;;
	(p14) adds r72 = -2, r19
	.mmb
	(p14) addl r11 = 1, r0
	sub r52 = r38, r15
	(p14) br.cond.dpnt .L160
	;;
	.mii
	adds r72 = -2, r19
	nop 0
	;;
	mov r39 = r72
	;;
.L169:
	.mmi
	mov r2 = r39
	adds r50 = 1, r3
	mov r48 = r0
	.mmi
	adds r53 = -1, r39
	adds r42 = -3, r39
	cmp4.eq p6, p7 = 1, r39
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L161
.L168:
	.mmi
	cmp4.eq p8, p9 = 1, r53
	and r24 = -2, r42
	adds r27 = 1, r50
	.mmi
	adds r50 = -6, r2
	mov r56 = r42
	mov r54 = r0
	;;
	.mmi
	(p8) adds r46 = -2, r2
	(p8) addl r16 = 1, r0
	adds r51 = -4, r2
	.mmb
	adds r33 = -5, r2
	sub r50 = r50, r24
	(p8) br.cond.dpnt .L162
	;;
	.mii
	adds r46 = -2, r2
	nop 0
	;;
	mov r55 = r46
	;;
.L167:
	.mmi
	mov r34 = r55
	adds r25 = 1, r27
	mov r43 = r33
	.mmi
	mov r44 = r56
	mov r45 = r0
	cmp4.eq p10, p11 = 1, r55
	;;
	.mib
	nop 0
	nop 0
	(p10) br.cond.dpnt .L163
.L166:
	.mii
	cmp4.eq p12, p13 = 1, r44
	adds r27 = 1, r25
	;;
	(p12) adds r34 = -2, r34
	.mmb
	(p12) addl r24 = 1, r0
	st4 [r35] = r27
	(p12) br.cond.dpnt .L164
	;;
	.mmi
	adds r49 = -4, r34
	and r2 = -2, r43
	adds r34 = -2, r34
	.mmi
	mov r36 = r0
	;;
	sub r32 = r49, r2
	mov r37 = r34
	;;
	.mmi
	sub r40 = r34, r32
	;;
	adds r3 = -2, r40
	nop 0
	;;
	.mii
	nop 0
	extr.u r8 = r3, 1, 31
	;;
	adds r49 = 1, r8
	;;
	.mmi
	nop 0
	and r9 = 7, r49
	nop 0
	;;
	.mib
	nop 0
	cmp4.eq p14, p15 = 0, r9
	(p14) br.cond.dpnt .L208
	.mib
	nop 0
	cmp4.eq p6, p7 = 1, r9
	(p6) br.cond.dpnt .L216
	.mib
	nop 0
	cmp4.eq p8, p9 = 2, r9
	(p8) br.cond.dpnt .L217
	.mib
	nop 0
	cmp4.eq p10, p11 = 3, r9
	(p10) br.cond.dpnt .L218
	.mib
	nop 0
	cmp4.eq p12, p13 = 4, r9
	(p12) br.cond.dpnt .L219
	;;
	.mib
	nop 0
	cmp4.eq p14, p15 = 5, r9
	(p14) br.cond.dpnt .L220
	.mib
	nop 0
	cmp4.eq p6, p7 = 6, r9
	(p6) br.cond.dptk .L221
	.mib
	mov r77 = r34
	adds r37 = -2, r34
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r10 = [r35]
	mov r36 = r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r11 = 1, r10
	nop 0
	;;
	.mmi
	st4 [r35] = r11
	nop 0
	nop 0
	.align 32
.L221:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r16 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r17 = 1, r16
	nop 0
	;;
	.mmi
	st4 [r35] = r17
	nop 0
	nop 0
	.align 32
.L220:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r18 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r19 = 1, r18
	nop 0
	;;
	.mmi
	st4 [r35] = r19
	nop 0
	nop 0
	.align 32
.L219:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r20 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r21 = 1, r20
	nop 0
	;;
	.mmi
	st4 [r35] = r21
	nop 0
	nop 0
	.align 32
.L218:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r22 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r23 = 1, r22
	nop 0
	;;
	.mmi
	st4 [r35] = r23
	nop 0
	nop 0
	.align 32
.L217:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r24 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	nop 0
	adds r25 = 1, r24
	nop 0
	;;
	.mmi
	st4 [r35] = r25
	nop 0
	nop 0
	.align 32
.L216:
	.mib
	mov r77 = r37
	adds r37 = -2, r37
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r26 = [r35]
	nop 0
	add r36 = r36, r8
	.mii
	mov r1 = r75
	cmp4.ne p8, p9 = r37, r32
	;;
	adds r27 = 1, r26
	;;
	.mib
	st4 [r35] = r27
	nop 0
	(p9) br.cond.dpnt .L227
	.align 32
.L208:
	.mii
	nop 0
	extr.u r28 = r49, 3, 29
	adds r32 = -2, r37
	.mmi
	mov r77 = r37
	;;
	adds r29 = -1, r28
	nop 0
	;;
	.mii
	addp4 r30 = r29, r0
	nop 0
	;;
	mov ar.lc = r30
.L165:
	.mib
	nop 0
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r31 = [r35]
	nop 0
	add r40 = r36, r8
	.mii
	mov r77 = r32
	mov r1 = r75
	;;
	adds r14 = 1, r31
	;;
	.mib
	st4 [r35] = r14
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r15 = [r35]
	nop 0
	add r49 = r40, r8
	.mii
	adds r77 = -2, r32
	mov r1 = r75
	;;
	adds r2 = 1, r15
	;;
	.mib
	st4 [r35] = r2
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r3 = [r35]
	nop 0
	add r36 = r49, r8
	.mii
	adds r77 = -6, r37
	mov r1 = r75
	;;
	adds r9 = 1, r3
	;;
	.mib
	st4 [r35] = r9
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r10 = [r35]
	nop 0
	add r32 = r36, r8
	.mii
	adds r77 = -8, r37
	mov r1 = r75
	;;
	adds r11 = 1, r10
	;;
	.mib
	st4 [r35] = r11
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r16 = [r35]
	nop 0
	add r40 = r32, r8
	.mii
	adds r77 = -10, r37
	mov r1 = r75
	;;
	adds r17 = 1, r16
	;;
	.mib
	st4 [r35] = r17
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r18 = [r35]
	nop 0
	add r49 = r40, r8
	.mii
	adds r77 = -12, r37
	mov r1 = r75
	;;
	adds r19 = 1, r18
	;;
	.mib
	st4 [r35] = r19
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	nop 0
	ld4 r20 = [r35]
	add r36 = r49, r8
	.mmi
	adds r77 = -14, r37
	mov r1 = r75
	adds r37 = -16, r37
	;;
	.mmi
	adds r32 = -2, r37
	nop 0
	adds r21 = 1, r20
	;;
	.mib
	st4 [r35] = r21
	nop 0
	br.call.sptk.many b0 = fibonacci#
	;;
	.mmi
	ld4 r77 = [r35]
	add r36 = r36, r8
	mov r1 = r75
	;;
	.mmi
	adds r27 = 1, r77
	nop 0
	mov r77 = r37
	;;
	.mib
	st4 [r35] = r27
	nop 0
	br.cloop.sptk.few .L165
.L227:
	.mii
	nop 0
	extr.u r8 = r43, 1, 31
	;;
	shladd r22 = r8, 1, r0
	;;
	.mii
	sub r23 = r43, r22
	nop 0
	;;
	add r24 = r23, r36
	;;
.L164:
	.mmi
	add r45 = r45, r24
	adds r25 = 1, r27
	adds r44 = -2, r44
	.mmb
	adds r43 = -2, r43
	cmp4.lt p10, p11 = 1, r34
	(p10) br.cond.dptk .L166
	.mii
	nop 0
	extr.u r34 = r51, 1, 31
	;;
	shladd r37 = r34, 1, r0
	;;
	.mii
	sub r26 = r51, r37
	nop 0
	;;
	add r34 = r26, r45
	;;
.L163:
	.mmi
	add r54 = r54, r34
	adds r27 = 1, r25
	adds r56 = -2, r56
	.mmi
	adds r55 = -2, r55
	adds r51 = -2, r51
	adds r33 = -2, r33
	;;
	.mib
	nop 0
	cmp4.ne p12, p13 = r51, r50
	(p12) br.cond.dptk .L167
	.mii
	nop 0
	extr.u r28 = r42, 1, 31
	;;
	shladd r29 = r28, 1, r0
	;;
	.mii
	sub r30 = r42, r29
	nop 0
	;;
	add r16 = r30, r54
	;;
.L162:
	.mmi
	add r48 = r48, r16
	adds r50 = 1, r27
	adds r53 = -2, r53
	.mmi
	adds r42 = -2, r42
	mov r2 = r46
	cmp4.lt p14, p15 = 1, r46
	;;
	.mib
	nop 0
	nop 0
	(p14) br.cond.dptk .L168
	.mii
	nop 0
	extr.u r31 = r38, 1, 31
	;;
	shladd r14 = r31, 1, r0
	;;
	.mii
	sub r15 = r38, r14
	nop 0
	;;
	add r2 = r15, r48
	;;
.L161:
	.mmi
	add r47 = r47, r2
	nop 0
	adds r3 = 1, r50
	.mmi
	adds r39 = -2, r39
	nop 0
	adds r38 = -2, r38
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r39, r52
	(p6) br.cond.dptk .L169
	.mii
	nop 0
	extr.u r52 = r63, 1, 31
	;;
	shladd r9 = r52, 1, r0
	;;
	.mii
	sub r10 = r63, r9
	nop 0
	;;
	add r11 = r10, r47
	;;
.L160:
	.mmi
	add r70 = r70, r11
	adds r32 = 1, r3
	adds r71 = -2, r71
	.mmi
	adds r63 = -2, r63
	mov r19 = r72
	cmp4.lt p8, p9 = 1, r72
	;;
	.mib
	nop 0
	nop 0
	(p8) br.cond.dptk .L170
	.mii
	nop 0
	extr.u r17 = r41, 1, 31
	;;
	shladd r40 = r17, 1, r0
	;;
	.mii
	sub r18 = r41, r40
	nop 0
	;;
	add r19 = r18, r70
	;;
.L159:
	.mmi
	add r69 = r69, r19
	nop 0
	adds r49 = 1, r32
	.mmi
	adds r58 = -2, r58
	nop 0
	adds r41 = -2, r41
	;;
	.mib
	nop 0
	cmp4.ne p10, p11 = r58, r62
	(p10) br.cond.dptk .L171
	.mii
	nop 0
	extr.u r62 = r61, 1, 31
	;;
	shladd r16 = r62, 1, r0
	;;
	.mii
	sub r20 = r61, r16
	nop 0
	;;
	add r16 = r20, r69
	;;
.L158:
	.mmi
	add r66 = r66, r16
	adds r21 = 1, r49
	adds r67 = -2, r67
	.mmi
	adds r61 = -2, r61
	mov r22 = r68
	cmp4.lt p12, p13 = 1, r68
	;;
	.mib
	nop 0
	nop 0
	(p12) br.cond.dptk .L172
	.mii
	nop 0
	extr.u r36 = r60, 1, 31
	;;
	shladd r77 = r36, 1, r0
	;;
	.mii
	sub r8 = r60, r77
	nop 0
	;;
	add r22 = r8, r66
	;;
.L157:
	.mmi
	add r64 = r64, r22
	nop 0
	adds r23 = 1, r21
	.mmi
	adds r57 = -2, r57
	nop 0
	adds r60 = -2, r60
	;;
	.mib
	st4 [r35] = r23
	cmp4.ne p14, p15 = r57, r65
	(p14) br.cond.dptk .L173
	.mii
	nop 0
	extr.u r46 = r59, 1, 31
	;;
	shladd r68 = r46, 1, r0
	;;
	.mii
	sub r72 = r59, r68
	nop 0
	;;
	add r8 = r72, r64
.L156:
	.mii
	nop 0
	mov ar.pfs = r74
	;;
	mov ar.lc = r76
	;;
	.mib
	nop 0
	mov b0 = r73
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
	adds r31 = 256, r33
	adds r23 = 256, r34
	;;
	.mmi
	addl r8 = 16640, r2
	nop 0
	nop 0
.L231:
	.mmi
	mov r21 = r32
	mov r20 = r34
	adds r22 = -256, r31
	;;
	.align 32
.L235:
	.mmi
	adds r16 = 256, r20
	adds r10 = 512, r20
	adds r19 = 768, r20
	.mmi
	adds r24 = 1024, r20
	adds r26 = 1280, r20
	adds r28 = 1536, r20
	;;
	.mmi
	adds r30 = 1792, r20
	adds r17 = 4, r22
	adds r9 = 8, r22
	.mmi
	adds r18 = 12, r22
	adds r11 = 16, r22
	adds r25 = 20, r22
	;;
	.mmi
	adds r27 = 24, r22
	ldfs.s f46 = [r17]
	adds r29 = 28, r22
	.mfi
	mov r15 = r20
	mov f13 = f0
	mov r14 = r22
	;;
	.mmi
	ldfs.s f12 = [r14]
	ldfs.s f38 = [r15]
	mov ar.lc = 7
	.mmi
	ldfs.s f47 = [r16]
	ldfs.s f48 = [r9]
	nop 0
	;;
	.mmi
	ldfs.s f49 = [r10]
	ldfs.s f50 = [r18]
	nop 0
	.mmi
	ldfs.s f51 = [r19]
	ldfs.s f52 = [r11]
	nop 0
	;;
	.mmi
	ldfs.s f39 = [r24]
	ldfs.s f53 = [r25]
	nop 0
	.mmi
	ldfs.s f54 = [r26]
	ldfs.s f55 = [r27]
	nop 0
	;;
	.mmi
	ldfs.s f56 = [r28]
	ldfs.s f57 = [r29]
	nop 0
	.mmi
	ldfs.s f58 = [r30]
	nop 0
	nop 0
	.align 32
.L232:
	.mmi
	chk.s f12, .L246
	nop 0
	nop 0
.L247:
	.mmi
	adds r14 = 32, r14
	chk.s f38, .L248
	nop 0
.L249:
	.mmi
	chk.s f46, .L250
	nop 0
	nop 0
.L251:
	.mmf
	nop 0
	nop 0
	mov f11 = f46
	;;
	.mmi
	chk.s f47, .L252
	nop 0
	nop 0
.L253:
	.mfi
	nop 0
	mov f37 = f47
	nop 0
	.mmi
	adds r15 = 2048, r15
	;;
	chk.s f48, .L254
	nop 0
.L255:
	.mmf
	adds r17 = 4, r14
	nop 0
	mov f10 = f48
	;;
	.mmi
	chk.s f49, .L256
	nop 0
	nop 0
.L257:
	.mmi
	adds r16 = 256, r15
	nop 0
	adds r9 = 8, r14
	.mmf
	adds r10 = 512, r15
	nop 0
	mov f36 = f49
	;;
	.mmi
	chk.s f50, .L258
	nop 0
	nop 0
.L259:
	.mmf
	adds r18 = 12, r14
	nop 0
	mov f9 = f50
	;;
	.mmi
	chk.s f51, .L260
	nop 0
	nop 0
.L261:
	.mmf
	adds r19 = 768, r15
	nop 0
	mov f35 = f51
	;;
	.mmi
	chk.s f52, .L262
	nop 0
	nop 0
.L263:
	.mmf
	adds r11 = 16, r14
	nop 0
	mov f8 = f52
	;;
	.mmi
	chk.s f39, .L264
	nop 0
	nop 0
.L265:
	.mfi
	adds r24 = 1024, r15
	mov f34 = f39
	nop 0
	.mfi
	nop 0
	fma.s f39 = f12, f38, f13
	nop 0
	;;
	.mmi
	chk.s f53, .L266
	nop 0
	nop 0
.L267:
	.mmf
	adds r25 = 20, r14
	nop 0
	mov f7 = f53
	;;
	.mmi
	chk.s f54, .L268
	nop 0
	nop 0
.L269:
	.mmf
	adds r26 = 1280, r15
	nop 0
	mov f33 = f54
	;;
	.mmi
	chk.s f55, .L270
	nop 0
	nop 0
.L271:
	.mmf
	adds r27 = 24, r14
	nop 0
	mov f6 = f55
	;;
	.mmi
	chk.s f56, .L272
	nop 0
	nop 0
.L273:
	.mmi
	ldfs.s f12 = [r14]
	nop 0
	adds r28 = 1536, r15
	.mmf
	ldfs.s f38 = [r15]
	nop 0
	mov f32 = f56
	;;
	.mmi
	chk.s f57, .L274
	nop 0
	nop 0
.L275:
	.mmi
	nop 0
	ldfs.s f46 = [r17]
	adds r29 = 28, r14
	.mmf
	ldfs.s f47 = [r16]
	ldfs.s f48 = [r9]
	mov f15 = f57
	;;
	.mmi
	ldfs.s f49 = [r10]
	chk.s f58, .L276
	nop 0
.L277:
	.mfi
	nop 0
	fma.s f40 = f11, f37, f39
	nop 0
	.mmf
	adds r30 = 1792, r15
	ldfs.s f50 = [r18]
	mov f14 = f58
	;;
	.mmi
	ldfs.s f51 = [r19]
	ldfs.s f52 = [r11]
	nop 0
	.mmi
	ldfs.s f39 = [r24]
	ldfs.s f53 = [r25]
	nop 0
	;;
	.mmi
	ldfs.s f54 = [r26]
	ldfs.s f55 = [r27]
	nop 0
	.mmi
	ldfs.s f56 = [r28]
	ldfs.s f57 = [r29]
	nop 0
	;;
	.mmi
	nop 0
	ldfs.s f58 = [r30]
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fma.s f41 = f10, f36, f40
	;;
	.mmf
	nop 0
	nop 0
	fma.s f42 = f9, f35, f41
	;;
	.mmf
	nop 0
	nop 0
	fma.s f43 = f8, f34, f42
	;;
	.mmf
	nop 0
	nop 0
	fma.s f44 = f7, f33, f43
	;;
	.mmf
	nop 0
	nop 0
	fma.s f45 = f6, f32, f44
	;;
	.mfb
	nop 0
	fma.s f13 = f15, f14, f45
	br.cloop.sptk.few .L232
	;;
	.mmi
	stfs [r21] = f13
	adds r21 = 4, r21
	adds r20 = 4, r20
	;;
	.mib
	nop 0
	cmp.eq p6, p7 = r20, r23
	(p7) br.cond.dptk .L235
	.mmi
	adds r31 = 256, r14
	nop 0
	adds r32 = 256, r32
	;;
	.mib
	nop 0
	cmp.eq p8, p9 = r8, r31
	(p9) br.cond.dptk .L231
	.mib
	nop 0
	mov ar.lc = r3
	br.ret.sptk.many b0
.L246:
	.mib
	ldfs f12 = [r14]
	nop 0
	br .L247
.L248:
	.mib
	ldfs f38 = [r15]
	nop 0
	br .L249
.L250:
	.mib
	ldfs f46 = [r17]
	nop 0
	br .L251
.L252:
	.mib
	ldfs f47 = [r16]
	nop 0
	br .L253
.L254:
	.mib
	ldfs f48 = [r9]
	nop 0
	br .L255
.L256:
	.mib
	ldfs f49 = [r10]
	nop 0
	br .L257
.L258:
	.mib
	ldfs f50 = [r18]
	nop 0
	br .L259
.L260:
	.mib
	ldfs f51 = [r19]
	nop 0
	br .L261
.L262:
	.mib
	ldfs f52 = [r11]
	nop 0
	br .L263
.L264:
	.mib
	ldfs f39 = [r24]
	nop 0
	br .L265
.L266:
	.mib
	ldfs f53 = [r25]
	nop 0
	br .L267
.L268:
	.mib
	ldfs f54 = [r26]
	nop 0
	br .L269
.L270:
	.mib
	ldfs f55 = [r27]
	nop 0
	br .L271
.L272:
	.mib
	ldfs f56 = [r28]
	nop 0
	br .L273
.L274:
	.mib
	ldfs f57 = [r29]
	nop 0
	br .L275
.L276:
	.mib
	ldfs f58 = [r30]
	nop 0
	br .L277
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
	.mmi
	mov r15 = r33
	mov r36 = r1
	.save rp, r34
	mov r34 = b0
	.body
	;;
	.mii
	nop 0
	sxt1 r2 = r14
	nop 0
	;;
	.mib
	mov r16 = r2
	cmp4.eq p6, p7 = 0, r2
	(p6) br.cond.dpnt .L279
	.mmi
	nop 0
	ld1.s r3 = [r15]
	mov r33 = r15
	;;
	.align 32
.L280:
	.mmi
	chk.s r3, .L289
	nop 0
	nop 0
.L290:
	.mmi
	adds r15 = 1, r15
	nop 0
	sxt1 r8 = r3
	;;
	.mib
	ld1.s r3 = [r15]
	cmp4.eq p8, p9 = r16, r8
	(p9) br.cond.dpnt .L279
	;;
	.mmi
	adds r32 = 1, r32
	nop 0
	mov r33 = r15
	;;
	.mmi
	ld1 r9 = [r32]
	;;
	nop 0
	sxt1 r10 = r9
	;;
	.mib
	mov r16 = r10
	cmp4.ne p10, p11 = 0, r10
	(p10) br.cond.dptk .L280
	.mmi
	mov r33 = r15
	nop 0
	nop 0
.L279:
	.mmi
	addl r11 = @gprel(calls#), gp
	nop 0
	mov r37 = r32
	;;
	.mmi
	nop 0
	ld4 r38 = [r11]
	nop 0
	;;
	.mib
	nop 0
	sxt4 r38 = r38
	br.call.sptk.many b0 = observe#
	;;
	.mmi
	cmp4.eq p12, p13 = 0, r8
	mov r1 = r36
	mov ar.pfs = r35
	;;
	.mmi
	nop 0
	(p13) ld1 r8 = [r32]
	mov b0 = r34
	.mmi
	nop 0
	(p13) ld1 r17 = [r33]
	nop 0
	;;
	.mii
	nop 0
	(p13) sxt1 r8 = r8
	(p13) sxt1 r17 = r17
	;;
	.mib
	nop 0
	(p13) sub r8 = r8, r17
	br.ret.sptk.many b0
.L289:
	.mib
	ld1 r3 = [r15]
	nop 0
	br .L290
	.endp compare#
	.sbss
	.align 4
	.type	calls#, @object
	.size	calls#, 4
calls:
	.skip	4
	.ident	"GCC: (GNU) 12.2.0"
