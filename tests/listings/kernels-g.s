	.file	"kernels.c"
	.pred.safe_across_calls p1-p5,p16-p63
	.text
.Ltext0:
	.file 1 "kernels.c"
	.align 16
	.align 64
	.global daxpy#
	.type	daxpy#, @function
	.proc daxpy#
daxpy:
[.LVL0:]
[.LFB0:]
	.loc 1 12 1 view -0
	.prologue
	.loc 1 13 5 view .LVU1
[.LBB2:]
	.loc 1 13 10 view .LVU2
	.loc 1 13 23 view .LVU3
[.LBE2:]
	.loc 1 12 1 is_stmt 0 view .LVU4
	.mii
	nop 0
	.save ar.lc, r2
	mov r2 = ar.lc
[.LCFI0:]
	.body
	sxt4 r14 = r32
[.LBB3:]
	.loc 1 13 23 view .LVU5
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
[.LVL1:]
	.align 32
.L3:
	.loc 1 14 9 is_stmt 1 discriminator 3 view .LVU6
	.loc 1 14 10 is_stmt 0 discriminator 3 view .LVU7
	.mmi
	ldfd f7 = [r35], 8
[.LVL2:]
	.loc 1 14 22 discriminator 3 view .LVU8
	ldfd f6 = [r34], 8
	.loc 1 14 14 discriminator 3 view .LVU9
	nop 0
	;;
	.mfi
	nop 0
	fma.d f6 = f6, f8, f7
	adds r14 = -8, r35
	;;
	.mib
	stfd [r14] = f6
	.loc 1 13 29 is_stmt 1 discriminator 3 view .LVU10
[.LVL3:]
	.loc 1 13 23 discriminator 3 view .LVU11
	nop 0
	br.cloop.sptk.few .L3
	;;
[.LVL4:]
.L1:
	.loc 1 13 23 is_stmt 0 discriminator 3 view .LVU12
[.LBE3:]
	.loc 1 15 1 view .LVU13
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
.LFE0:
	.endp daxpy#
	.align 16
	.align 64
	.global dot#
	.type	dot#, @function
	.proc dot#
dot:
[.LVL5:]
[.LFB1:]
	.loc 1 18 1 is_stmt 1 view -0
	.prologue
	.loc 1 19 12 is_stmt 0 view .LVU15
	.mfb
	nop 0
	mov f8 = f0
	.loc 1 19 5 is_stmt 1 view .LVU16
[.LVL6:]
	.loc 1 20 5 view .LVU17
[.LBB4:]
	.loc 1 20 10 view .LVU18
	.loc 1 20 23 view .LVU19
	nop 0
	.mii
	cmp4.ge p6, p7 = 0, r32
[.LBE4:]
	.loc 1 18 1 is_stmt 0 view .LVU20
	.save ar.lc, r2
	mov r2 = ar.lc
[.LCFI1:]
	.body
	sxt4 r14 = r32
	.loc 1 19 12 view .LVU21
	;;
	.mfb
	shladd r14 = r14, 3, r0
	(p6) mov f8 = f0
[.LBB5:]
	.loc 1 20 23 view .LVU22
	(p6) br.cond.dpnt .L7
[.LBE5:]
	.loc 1 19 12 view .LVU23
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
[.LVL7:]
	.align 32
.L9:
[.LBB6:]
	.loc 1 21 9 is_stmt 1 discriminator 3 view .LVU24
	.loc 1 21 17 is_stmt 0 discriminator 3 view .LVU25
	.mmi
	ldfd f7 = [r33], 8
[.LVL8:]
	.loc 1 21 24 discriminator 3 view .LVU26
	ldfd f6 = [r34], 8
	.loc 1 21 13 discriminator 3 view .LVU27
	nop 0
	;;
	.mfb
	nop 0
	fma.d f8 = f7, f6, f8
[.LVL9:]
	.loc 1 20 29 is_stmt 1 discriminator 3 view .LVU28
	.loc 1 20 23 discriminator 3 view .LVU29
	br.cloop.sptk.few .L9
	;;
[.LVL10:]
.L7:
	.loc 1 20 23 is_stmt 0 discriminator 3 view .LVU30
[.LBE6:]
	.loc 1 23 1 view .LVU31
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
.LFE1:
	.endp dot#
	.align 16
	.align 64
	.global checksum#
	.type	checksum#, @function
	.proc checksum#
checksum:
[.LVL11:]
[.LFB2:]
	.loc 1 26 1 is_stmt 1 view -0
	.prologue
	.loc 1 28 12 is_stmt 0 view .LVU33
	.mmi
	cmp.eq p6, p7 = 0, r33
	.loc 1 27 23 view .LVU34
	mov r16 = r0
	.loc 1 26 1 view .LVU35
	.save ar.lc, r2
	mov r2 = ar.lc
[.LCFI2:]
	.body
	.loc 1 27 14 view .LVU36
	.mlx
	addl r17 = 1, r0
	.loc 1 29 13 view .LVU37
	movl r14 = 4223091239536077
	;;
	.mmi
	setf.sig f6 = r14
	.loc 1 27 5 is_stmt 1 view .LVU38
[.LVL12:]
	.loc 1 28 5 view .LVU39
	.loc 1 28 12 view .LVU40
	.loc 1 28 12 is_stmt 0 view .LVU41
	nop 0
	add r14 = r32, r33
	.mmb
	(p6) addl r8 = 1, r0
	nop 0
	(p6) br.cond.dpnt .L14
	.loc 1 29 13 view .LVU42
	;;
	.mii
	sub r14 = r14, r32, 1
	nop 0
	;;
	mov ar.lc = r14
[.LVL13:]
	.align 32
.L16:
	.loc 1 29 9 is_stmt 1 view .LVU43
	.loc 1 29 22 is_stmt 0 view .LVU44
	.mii
	ld1 r15 = [r32]
	adds r32 = 1, r32
[.LVL14:]
	.loc 1 29 20 view .LVU45
	;;
	add r15 = r17, r15
	.loc 1 29 13 view .LVU46
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
[.LVL15:]
	.loc 1 29 13 view .LVU47
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
	.loc 1 30 24 view .LVU48
	nop 0
	;;
	.mii
	add r16 = r16, r8
[.LVL16:]
	.loc 1 29 13 view .LVU49
	mov r17 = r8
[.LVL17:]
	.loc 1 30 9 is_stmt 1 view .LVU50
	.loc 1 30 15 is_stmt 0 view .LVU51
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
[.LVL18:]
	.loc 1 28 12 is_stmt 1 view .LVU52
	.loc 1 28 12 is_stmt 0 view .LVU53
	br.cloop.sptk.few .L16
	.loc 1 32 18 view .LVU54
	.mii
	nop 0
	dep.z r14 = r14, 16, 16
[.LVL19:]
	.loc 1 32 24 view .LVU55
	;;
	or r8 = r14, r8
[.LVL20:]
.L14:
	.loc 1 33 1 view .LVU56
	.mib
	nop 0
	mov ar.lc = r2
	br.ret.sptk.many b0
.LFE2:
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
[.LVL21:]
[.LFB3:]
	.loc 1 36 1 is_stmt 1 view -0
	.prologue 12, 34
	.loc 1 36 1 is_stmt 0 view .LVU58
	.mmi
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
[.LCFI3:]
	.loc 1 37 5 is_stmt 1 view .LVU59
	cmp4.ltu p6, p7 = 6, r32
	.loc 1 36 1 is_stmt 0 view .LVU60
	.save rp, r34
	mov r34 = b0
[.LCFI4:]
	.loc 1 37 5 view .LVU61
	.mmb
	addl r14 = @ltoffx(.L24), r1
	addp4 r32 = r32, r0
	.loc 1 37 5 view .LVU62
	(p6) br.cond.spnt .L31
	;;
	.mmi
	shladd r32 = r32, 3, r0
[.LVL22:]
	.loc 1 37 5 view .LVU63
	ld8.mov r14 = [r14], .L24
	.loc 1 36 1 view .LVU64
	mov r36 = r1
	.body
	.loc 1 37 5 view .LVU65
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
	.loc 1 49 9 is_stmt 1 view .LVU66
	.loc 1 49 16 is_stmt 0 view .LVU67
	.mmi
	sub r8 = r0, r33
	.loc 1 55 1 view .LVU68
	nop 0
	mov b0 = r34
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L23:
	.loc 1 51 9 is_stmt 1 view .LVU69
	.loc 1 51 16 is_stmt 0 view .LVU70
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
[.LVL23:]
	;;
	.mii
	mov r1 = r36
	.loc 1 55 1 view .LVU71
	mov b0 = r34
	.loc 1 51 16 view .LVU72
	sxt4 r8 = r8
	.loc 1 55 1 view .LVU73
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L30:
	.loc 1 39 9 is_stmt 1 view .LVU74
	.loc 1 39 22 is_stmt 0 view .LVU75
	.mmi
	adds r8 = 3, r33
	.loc 1 55 1 view .LVU76
	nop 0
	mov b0 = r34
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L29:
	.loc 1 41 9 is_stmt 1 view .LVU77
	.loc 1 41 22 is_stmt 0 view .LVU78
	.mmi
	shladd r8 = r33, 3, r0
	.loc 1 55 1 view .LVU79
	nop 0
	mov b0 = r34
	.loc 1 41 22 view .LVU80
	;;
	.mib
	sub r8 = r8, r33
	.loc 1 55 1 view .LVU81
	mov ar.pfs = r35
	br.ret.sptk.many b0
	;;
.L28:
	.loc 1 43 9 is_stmt 1 view .LVU82
	.loc 1 55 1 is_stmt 0 view .LVU83
	.mii
	nop 0
	mov b0 = r34
	.loc 1 43 22 view .LVU84
	shr r8 = r33, 2
	.loc 1 55 1 view .LVU85
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L27:
	.loc 1 45 9 is_stmt 1 view .LVU86
	.loc 1 55 1 is_stmt 0 view .LVU87
	.mib
	nop 0
	mov b0 = r34
	.loc 1 45 22 view .LVU88
	nop 0
	.mlx
	nop 0
	movl r8 = 81985529216486895
	;;
	.mib
	xor r8 = r8, r33
	.loc 1 55 1 view .LVU89
	mov ar.pfs = r35
	br.ret.sptk.many b0
.L26:
	.loc 1 47 9 is_stmt 1 view .LVU90
	.loc 1 47 22 is_stmt 0 view .LVU91
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
	.loc 1 55 1 view .LVU92
	mov b0 = r34
	;;
	mov ar.pfs = r35
	.loc 1 47 22 view .LVU93
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
	.loc 1 55 1 view .LVU94
	br.ret.sptk.many b0
	;;
.L31:
	.loc 1 37 5 view .LVU95
	.mmi
	mov r8 = r0
	.loc 1 55 1 view .LVU96
	nop 0
	mov b0 = r34
	;;
	.mib
	nop 0
	mov ar.pfs = r35
	br.ret.sptk.many b0
.LFE3:
	.endp pick#
	.align 16
	.align 64
	.global length#
	.type	length#, @function
	.proc length#
length:
[.LVL24:]
[.LFB4:]
	.loc 1 58 1 is_stmt 1 view -0
	.prologue
	.body
	.loc 1 59 5 view .LVU98
	.loc 1 60 5 view .LVU99
	.loc 1 59 12 is_stmt 0 view .LVU100
	.mfi
	nop 0
	mov f8 = f0
	.loc 1 60 12 is_stmt 1 view .LVU101
	cmp.eq p6, p7 = 0, r32
	.loc 1 59 12 is_stmt 0 view .LVU102
	;;
	.mfb
	nop 0
	(p6) mov f8 = f0
	.loc 1 60 12 view .LVU103
	(p6) br.cond.dpnt .L34
[.LVL25:]
	.align 32
.L36:
	.loc 1 61 9 is_stmt 1 discriminator 2 view .LVU104
	.loc 1 61 20 is_stmt 0 discriminator 2 view .LVU105
	.mmi
	mov r14 = r32
	.loc 1 60 23 discriminator 2 view .LVU106
	nop 0
	adds r15 = 16, r32
	.loc 1 61 20 discriminator 2 view .LVU107
	;;
	.mmi
	ldfd f6 = [r14], 8
	.loc 1 60 23 discriminator 2 view .LVU108
	ld8 r32 = [r15]
[.LVL26:]
	.loc 1 60 12 discriminator 2 view .LVU109
	nop 0
	;;
	.mmi
	cmp.ne p6, p7 = 0, r32
	.loc 1 61 40 discriminator 2 view .LVU110
	;;
	ldfd f7 = [r14]
	.loc 1 61 44 discriminator 2 view .LVU111
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	fmpy.d f7 = f7, f7
	.loc 1 61 34 discriminator 2 view .LVU112
	;;
	.mmf
	nop 0
	nop 0
	fma.d f6 = f6, f6, f7
	.loc 1 61 13 discriminator 2 view .LVU113
	;;
	.mfb
	nop 0
	fadd.d f8 = f8, f6
[.LVL27:]
	.loc 1 60 23 is_stmt 1 discriminator 2 view .LVU114
	.loc 1 60 12 discriminator 2 view .LVU115
	(p6) br.cond.dptk .L36
[.LVL28:]
.L34:
	.loc 1 63 1 is_stmt 0 view .LVU116
	.mib
	nop 0
	nop 0
	br.ret.sptk.many b0
.LFE4:
	.endp length#
	.align 16
	.align 64
	.global fibonacci#
	.type	fibonacci#, @function
	.proc fibonacci#
fibonacci:
[.LVL29:]
[.LFB5:]
	.loc 1 66 1 is_stmt 1 view -0
	.prologue 12, 71
	.loc 1 66 1 is_stmt 0 view .LVU118
	.mmi
	.save ar.pfs, r72
	alloc r72 = ar.pfs, 1, 42, 1, 0
[.LCFI5:]
	.loc 1 67 5 is_stmt 1 view .LVU119
	.loc 1 67 10 is_stmt 0 view .LVU120
	addl r43 = @gprel(calls#), gp
	adds r55 = -2, r32
	.mmi
	adds r56 = -3, r32
	.loc 1 66 1 view .LVU121
	mov r73 = r1
	adds r50 = -1, r32
	.loc 1 67 10 view .LVU122
	;;
	.mmi
	ld4 r14 = [r43]
	and r63 = -2, r55
	.loc 1 66 1 view .LVU123
	.save ar.lc, r74
	mov r74 = ar.lc
[.LCFI6:]
	.loc 1 68 22 view .LVU124
	.mmi
	mov r62 = r0
	.loc 1 66 1 view .LVU125
	mov r8 = r32
	.loc 1 68 22 view .LVU126
	cmp4.ge p6, p7 = 1, r32
	.loc 1 67 10 view .LVU127
	;;
	.mmi
	adds r14 = 1, r14
	sub r63 = r56, r63
	.loc 1 66 1 view .LVU128
	.save rp, r71
	mov r71 = b0
[.LCFI7:]
	.body
	.loc 1 67 10 view .LVU129
	;;
	.mib
	st4 [r43] = r14
	.loc 1 68 5 is_stmt 1 view .LVU130
	.loc 1 68 22 is_stmt 0 view .LVU131
	nop 0
	(p6) br.cond.dpnt .L42
.L59:
	.loc 1 68 22 view .LVU132
	.mmi
	adds r65 = -1, r50
	adds r57 = -3, r50
[.LBB23:]
[.LBB24:]
	.loc 1 68 22 discriminator 1 view .LVU133
	mov r64 = r0
[.LBE24:]
[.LBE23:]
	.loc 1 68 24 discriminator 1 view .LVU134
	.mmi
	mov r15 = r50
[.LVL30:]
[.LBB46:]
[.LBI23:]
	.loc 1 65 5 is_stmt 1 discriminator 1 view .LVU135
[.LBB45:]
	.loc 1 67 5 discriminator 1 view .LVU136
	.loc 1 67 10 is_stmt 0 discriminator 1 view .LVU137
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 discriminator 1 view .LVU138
	.loc 1 68 22 is_stmt 0 discriminator 1 view .LVU139
	cmp4.eq p6, p7 = 1, r50
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L43
[.LVL31:]
.L58:
[.LBB25:]
[.LBI25:]
	.loc 1 65 5 is_stmt 1 view .LVU140
[.LBB26:]
	.loc 1 67 5 view .LVU141
	.loc 1 68 22 is_stmt 0 view .LVU142
	.mmi
	cmp4.eq p6, p7 = 1, r65
	.loc 1 67 10 view .LVU143
	nop 0
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU144
	.mmi
	adds r37 = -4, r15
	.loc 1 68 22 is_stmt 0 view .LVU145
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
[.LBB27:]
[.LBB28:]
	mov r68 = r0
[.LBE28:]
[.LBE27:]
	.loc 1 68 24 view .LVU146
	.mmi
	mov r35 = r51
[.LVL32:]
[.LBB44:]
[.LBI27:]
	.loc 1 65 5 is_stmt 1 view .LVU147
[.LBB43:]
	.loc 1 67 5 view .LVU148
	.loc 1 67 10 is_stmt 0 view .LVU149
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU150
	.loc 1 68 22 is_stmt 0 view .LVU151
	cmp4.eq p6, p7 = 1, r51
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L45
[.LVL33:]
.L56:
[.LBB29:]
[.LBI29:]
	.loc 1 65 5 is_stmt 1 view .LVU152
[.LBB30:]
	.loc 1 67 5 view .LVU153
	.loc 1 68 22 is_stmt 0 view .LVU154
	.mmi
	cmp4.eq p6, p7 = 1, r69
	.loc 1 67 10 view .LVU155
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU156
	.loc 1 68 22 is_stmt 0 view .LVU157
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
[.LBB31:]
[.LBB32:]
	mov r45 = r0
[.LBE32:]
[.LBE31:]
	.loc 1 68 24 view .LVU158
	.mmi
	mov r15 = r36
[.LVL34:]
[.LBB42:]
[.LBI31:]
	.loc 1 65 5 is_stmt 1 view .LVU159
[.LBB41:]
	.loc 1 67 5 view .LVU160
	.loc 1 67 10 is_stmt 0 view .LVU161
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU162
	.loc 1 68 22 is_stmt 0 view .LVU163
	cmp4.eq p6, p7 = 1, r36
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L47
[.LVL35:]
.L54:
[.LBB33:]
[.LBI33:]
	.loc 1 65 5 is_stmt 1 view .LVU164
[.LBB34:]
	.loc 1 67 5 view .LVU165
	.loc 1 68 22 is_stmt 0 view .LVU166
	.mmi
	cmp4.eq p6, p7 = 1, r49
	.loc 1 67 10 view .LVU167
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU168
	adds r46 = -6, r15
	.mmi
	adds r47 = -4, r15
	adds r33 = -5, r15
	.loc 1 68 22 is_stmt 0 view .LVU169
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
[.LBB35:]
[.LBB36:]
	.mmi
	mov r39 = r33
	mov r40 = r54
	mov r41 = r0
[.LBE36:]
[.LBE35:]
	.loc 1 68 24 view .LVU170
	.mmi
	mov r34 = r53
[.LVL36:]
[.LBB40:]
[.LBI35:]
	.loc 1 65 5 is_stmt 1 view .LVU171
[.LBB39:]
	.loc 1 67 5 view .LVU172
	.loc 1 67 10 is_stmt 0 view .LVU173
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU174
	.loc 1 68 22 is_stmt 0 view .LVU175
	cmp4.eq p6, p7 = 1, r53
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dpnt .L49
[.LVL37:]
.L52:
[.LBB37:]
[.LBI37:]
	.loc 1 65 5 is_stmt 1 view .LVU176
[.LBB38:]
	.loc 1 67 5 view .LVU177
	.loc 1 68 22 is_stmt 0 view .LVU178
	.mmi
	cmp4.eq p6, p7 = 1, r40
	.loc 1 67 10 view .LVU179
	adds r14 = 1, r14
	.loc 1 68 22 view .LVU180
	mov r60 = r0
	;;
	.mmi
	(p6) adds r34 = -2, r34
	nop 0
	(p6) addl r16 = 1, r0
	.loc 1 67 10 view .LVU181
	.mmb
	st4 [r43] = r14
	.loc 1 68 5 is_stmt 1 view .LVU182
	.loc 1 68 22 is_stmt 0 view .LVU183
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
	.loc 1 68 24 view .LVU184
	.mib
	mov r75 = r61
	.loc 1 68 22 view .LVU185
	adds r61 = -2, r61
	.loc 1 68 24 view .LVU186
	br.call.sptk.many b0 = fibonacci#
[.LVL38:]
	.loc 1 67 10 view .LVU187
	;;
	.mmi
	ld4 r14 = [r43]
	.loc 1 68 24 view .LVU188
	mov r1 = r73
	add r60 = r60, r8
	.loc 1 67 5 is_stmt 1 view .LVU189
	.loc 1 67 10 is_stmt 0 view .LVU190
	;;
	.mmi
	nop 0
	adds r14 = 1, r14
	nop 0
	;;
	.mib
	st4 [r43] = r14
	.loc 1 68 5 is_stmt 1 view .LVU191
	.loc 1 68 22 is_stmt 0 view .LVU192
	nop 0
	br.cloop.sptk.few .L51
	.loc 1 68 43 view .LVU193
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
[.LVL39:]
	.loc 1 68 43 view .LVU194
	.mmi
	add r41 = r41, r16
[.LBE38:]
[.LBE37:]
	.loc 1 67 5 is_stmt 1 view .LVU195
	.loc 1 67 10 is_stmt 0 view .LVU196
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU197
	.loc 1 68 22 is_stmt 0 view .LVU198
	adds r40 = -2, r40
	.mmb
	adds r39 = -2, r39
	cmp4.lt p6, p7 = 1, r34
	(p6) br.cond.dptk .L52
	.loc 1 68 43 view .LVU199
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
[.LVL40:]
	.loc 1 68 43 view .LVU200
[.LBE39:]
[.LBE40:]
	.loc 1 68 22 view .LVU201
	.mmi
	adds r47 = -2, r47
	add r52 = r52, r34
	.loc 1 67 5 is_stmt 1 view .LVU202
	.loc 1 67 10 is_stmt 0 view .LVU203
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU204
	.loc 1 68 22 is_stmt 0 view .LVU205
	.mmi
	adds r54 = -2, r54
	adds r53 = -2, r53
	adds r33 = -2, r33
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r47, r46
	(p6) br.cond.dptk .L53
	.loc 1 68 43 view .LVU206
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
[.LVL41:]
	.loc 1 68 43 view .LVU207
[.LBE34:]
[.LBE33:]
	.mmi
	mov r15 = r42
	add r45 = r45, r16
	.loc 1 67 5 is_stmt 1 view .LVU208
	.loc 1 67 10 is_stmt 0 view .LVU209
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU210
	.loc 1 68 22 is_stmt 0 view .LVU211
	.mmi
	adds r49 = -2, r49
	adds r38 = -2, r38
	cmp4.lt p6, p7 = 1, r42
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L54
	.loc 1 68 43 view .LVU212
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
[.LVL42:]
	.loc 1 68 43 view .LVU213
[.LBE41:]
[.LBE42:]
	.loc 1 68 22 view .LVU214
	.mmi
	adds r36 = -2, r36
	nop 0
	add r44 = r44, r15
	.loc 1 67 5 is_stmt 1 view .LVU215
	.loc 1 67 10 is_stmt 0 view .LVU216
	.mmi
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU217
	.loc 1 68 22 is_stmt 0 view .LVU218
	nop 0
	adds r35 = -2, r35
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r36, r48
	(p6) br.cond.dptk .L55
	.loc 1 68 43 view .LVU219
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
[.LVL43:]
	.loc 1 68 43 view .LVU220
[.LBE30:]
[.LBE29:]
	.mmi
	mov r35 = r70
	add r68 = r68, r15
	.loc 1 67 5 is_stmt 1 view .LVU221
	.loc 1 67 10 is_stmt 0 view .LVU222
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU223
	.loc 1 68 22 is_stmt 0 view .LVU224
	.mmi
	adds r69 = -2, r69
	adds r59 = -2, r59
	cmp4.lt p6, p7 = 1, r70
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L56
	.loc 1 68 43 view .LVU225
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
[.LVL44:]
	.loc 1 68 43 view .LVU226
[.LBE43:]
[.LBE44:]
	.loc 1 68 22 view .LVU227
	.mmi
	adds r51 = -2, r51
	nop 0
	add r67 = r67, r35
	.loc 1 67 5 is_stmt 1 view .LVU228
	.loc 1 67 10 is_stmt 0 view .LVU229
	.mmi
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU230
	.loc 1 68 22 is_stmt 0 view .LVU231
	nop 0
	adds r37 = -2, r37
	;;
	.mib
	nop 0
	cmp4.ne p6, p7 = r51, r58
	(p6) br.cond.dptk .L57
	.loc 1 68 43 view .LVU232
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
[.LVL45:]
	.loc 1 68 43 view .LVU233
[.LBE26:]
[.LBE25:]
	.mmi
	mov r15 = r66
	add r64 = r64, r16
	.loc 1 67 5 is_stmt 1 view .LVU234
	.loc 1 67 10 is_stmt 0 view .LVU235
	adds r14 = 1, r14
	.loc 1 68 5 is_stmt 1 view .LVU236
	.loc 1 68 22 is_stmt 0 view .LVU237
	.mmi
	adds r65 = -2, r65
	adds r57 = -2, r57
	cmp4.lt p6, p7 = 1, r66
	;;
	.mib
	nop 0
	nop 0
	(p6) br.cond.dptk .L58
	.loc 1 68 43 view .LVU238
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
[.LVL46:]
	.loc 1 68 43 view .LVU239
[.LBE45:]
[.LBE46:]
	.loc 1 67 10 view .LVU240
	.mmi
	adds r14 = 1, r14
	.loc 1 68 22 view .LVU241
	nop 0
	adds r50 = -2, r50
	.mmi
	add r62 = r62, r15
	.loc 1 67 5 is_stmt 1 view .LVU242
	.loc 1 68 22 is_stmt 0 view .LVU243
	nop 0
	adds r56 = -2, r56
	.loc 1 67 10 view .LVU244
	;;
	.mib
	st4 [r43] = r14
	.loc 1 68 5 is_stmt 1 view .LVU245
	.loc 1 68 22 is_stmt 0 view .LVU246
	cmp4.ne p6, p7 = r50, r63
	(p6) br.cond.dptk .L59
	.loc 1 68 43 view .LVU247
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
	.loc 1 69 1 discriminator 4 view .LVU248
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
.LFE5:
	.endp fibonacci#
	.align 16
	.align 64
	.global multiply#
	.type	multiply#, @function
	.proc multiply#
multiply:
[.LVL47:]
[.LFB6:]
	.loc 1 72 1 is_stmt 1 view -0
	.prologue
	.loc 1 73 5 view .LVU250
[.LBB47:]
	.loc 1 73 10 view .LVU251
	.loc 1 73 23 view .LVU252
[.LBE47:]
	.loc 1 72 1 is_stmt 0 view .LVU253
	.mib
	nop 0
	.save ar.lc, r3
	mov r3 = ar.lc
[.LCFI8:]
	.body
	.loc 1 72 1 view .LVU254
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
[.LVL48:]
.L88:
[.LBB55:]
[.LBB48:]
	.loc 1 74 27 is_stmt 1 view .LVU255
	.mmi
	mov r17 = r34
[.LBB49:]
	.loc 1 75 19 is_stmt 0 view .LVU256
	mov r19 = r32
	adds r18 = -256, r20
	;;
[.LVL49:]
	.align 32
.L92:
[.LBB50:]
	.loc 1 76 31 is_stmt 1 view .LVU257
[.LBE50:]
	.loc 1 75 19 is_stmt 0 view .LVU258
	.mfi
	nop 0
	mov f6 = f0
	sub r16 = r20, r18
	.mii
	mov r15 = r18
[.LBE49:]
[.LBE48:]
[.LBE55:]
	.loc 1 72 1 view .LVU259
	mov r14 = r17
[.LBB56:]
[.LBB54:]
[.LBB52:]
	.loc 1 75 19 view .LVU260
	;;
	adds r16 = -4, r16
	;;
	.mii
	nop 0
	shr.u r16 = r16, 2
	;;
	mov ar.lc = r16
[.LVL50:]
	.align 32
.L89:
[.LBB51:]
	.loc 1 77 17 is_stmt 1 discriminator 3 view .LVU261
	.loc 1 77 21 is_stmt 0 discriminator 3 view .LVU262
	.mmi
	nop 0
	ldfs f7 = [r14]
	.loc 1 76 31 discriminator 3 view .LVU263
	adds r14 = 256, r14
	.loc 1 77 28 discriminator 3 view .LVU264
	.mmi
	nop 0
	ldfs f8 = [r15], 4
[.LVL51:]
	.loc 1 77 21 discriminator 3 view .LVU265
	nop 0
	;;
	.mfb
	nop 0
	fma.s f6 = f8, f7, f6
[.LVL52:]
	.loc 1 76 38 is_stmt 1 discriminator 3 view .LVU266
	.loc 1 76 31 discriminator 3 view .LVU267
	br.cloop.sptk.few .L89
	;;
[.LBE51:]
	.loc 1 78 13 discriminator 2 view .LVU268
[.LBE52:]
	.loc 1 74 27 is_stmt 0 discriminator 2 view .LVU269
	.mmi
	adds r17 = 4, r17
[.LBB53:]
	.loc 1 78 21 discriminator 2 view .LVU270
	stfs [r19] = f6, 4
[.LVL53:]
	.loc 1 78 21 discriminator 2 view .LVU271
[.LBE53:]
	.loc 1 74 34 is_stmt 1 discriminator 2 view .LVU272
	.loc 1 74 27 discriminator 2 view .LVU273
	nop 0
	;;
	.mib
	nop 0
	cmp.eq p6, p7 = r21, r17
	(p7) br.cond.dptk .L92
[.LBE54:]
	.loc 1 73 30 discriminator 2 view .LVU274
[.LVL54:]
	.loc 1 73 23 discriminator 2 view .LVU275
	.mmi
	adds r20 = 256, r15
[.LVL55:]
	.loc 1 73 23 is_stmt 0 discriminator 2 view .LVU276
	nop 0
	adds r32 = 256, r32
	;;
	.mib
	nop 0
	cmp.eq p6, p7 = r2, r20
	(p7) br.cond.dptk .L88
[.LBE56:]
	.loc 1 80 1 view .LVU277
	.mib
	nop 0
	mov ar.lc = r3
	br.ret.sptk.many b0
.LFE6:
	.endp multiply#
	.align 16
	.align 64
	.global compare#
	.type	compare#, @function
	.proc compare#
compare:
[.LVL56:]
[.LFB7:]
	.loc 1 83 1 is_stmt 1 view -0
	.prologue 12, 34
	.loc 1 83 1 is_stmt 0 view .LVU279
	.mmb
	.save ar.pfs, r35
	alloc r35 = ar.pfs, 2, 3, 2, 0
[.LCFI9:]
	.loc 1 84 5 is_stmt 1 view .LVU280
	.loc 1 84 15 view .LVU281
	.loc 1 84 12 is_stmt 0 view .LVU282
	ld1 r14 = [r32]
	nop 0
	.mii
	mov r15 = r33
	.loc 1 83 1 view .LVU283
	.save rp, r34
	mov r34 = b0
[.LCFI10:]
	mov r36 = r1
	.body
	.loc 1 84 12 view .LVU284
	;;
	.mii
	nop 0
	sxt1 r14 = r14
	nop 0
	;;
	.mib
	mov r16 = r14
	.loc 1 84 15 view .LVU285
	cmp4.eq p6, p7 = 0, r14
	(p6) br.cond.dpnt .L97
[.LVL57:]
	.align 32
.L98:
	.loc 1 85 9 is_stmt 1 discriminator 1 view .LVU286
	.mmi
	mov r33 = r15
[.LVL58:]
	.loc 1 84 15 is_stmt 0 discriminator 1 view .LVU287
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
	.loc 1 85 10 view .LVU288
	;;
	.mmi
	adds r32 = 1, r32
[.LVL59:]
	.loc 1 84 15 is_stmt 1 view .LVU289
	.loc 1 84 12 is_stmt 0 view .LVU290
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
	.loc 1 84 15 view .LVU291
	cmp4.ne p6, p7 = 0, r14
	(p6) br.cond.dptk .L98
	.loc 1 85 15 view .LVU292
	.mmi
	mov r33 = r15
	nop 0
	nop 0
[.LVL60:]
.L97:
	.loc 1 86 5 is_stmt 1 view .LVU293
	.loc 1 86 12 is_stmt 0 view .LVU294
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
[.LVL61:]
	.loc 1 86 40 view .LVU295
	;;
	.mmi
	cmp4.eq p6, p7 = 0, r8
	.loc 1 86 12 view .LVU296
	mov r1 = r36
	.loc 1 87 1 view .LVU297
	mov b0 = r34
	.loc 1 86 32 view .LVU298
	;;
	.mmi
	nop 0
	(p7) ld1 r8 = [r32]
	.loc 1 87 1 view .LVU299
	mov ar.pfs = r35
	.loc 1 86 37 view .LVU300
	.mmi
	nop 0
	(p7) ld1 r14 = [r33]
	.loc 1 86 32 view .LVU301
	nop 0
	;;
	.mii
	nop 0
	(p7) sxt1 r8 = r8
	.loc 1 86 37 view .LVU302
	(p7) sxt1 r14 = r14
	.loc 1 86 40 view .LVU303
	;;
	.mib
	nop 0
	(p7) sub r8 = r8, r14
	.loc 1 87 1 view .LVU304
	br.ret.sptk.many b0
.LFE7:
	.endp compare#
	.sbss
	.align 4
	.type	calls#, @object
	.size	calls#, 4
calls:
	.skip	4
	.text
.Letext0:
	.section	.debug_info,"",@progbits
.Ldebug_info0:
	data4.ua	0x59c
	data2.ua	0x5
	data1	0x1
	data1	0x8
	data4.ua	@secrel(.Ldebug_abbrev0)
	.uleb128 0x12
	data4.ua	@secrel(.LASF22)
	data1	0x1d
	data4.ua	@secrel(.LASF23)
	stringz	"."
	data8.ua	.Ltext0
	data8.ua	.Letext0-.Ltext0
	data4.ua	@secrel(.Ldebug_line0)
	.uleb128 0x13
	data4.ua	@secrel(.LASF24)
	data1	0x18
	data1	0x1
	data1	0x3
	data1	0x8
	data4.ua	0x59
	.uleb128 0xf
	stringz	"x"
	data1	0xc
	data4.ua	0x5e
	data1	0
	.uleb128 0xf
	stringz	"y"
	data1	0xf
	data4.ua	0x5e
	data1	0x8
	.uleb128 0x14
	data4.ua	@secrel(.LASF0)
	data1	0x1
	data1	0x5
	data1	0x13
	data4.ua	0x6a
	data1	0x10
	data1	0
	.uleb128 0x8
	data4.ua	0x2c
	.uleb128 0x3
	data1	0x8
	data1	0x4
	data4.ua	@secrel(.LASF1)
	.uleb128 0x8
	data4.ua	0x5e
	.uleb128 0x4
	data4.ua	0x2c
	.uleb128 0x15
	data4.ua	@secrel(.LASF25)
	data1	0x1
	data1	0x9
	data1	0xc
	data4.ua	0x85
	.uleb128 0x9
	data1	0x3
	data8.ua	calls#
	.uleb128 0x16
	data1	0x4
	data1	0x5
	stringz	"int"
	.uleb128 0x17
	data4.ua	@secrel(.LASF6)
	data1	0x1
	data1	0x8
	data1	0xc
	data4.ua	0x85
	data4.ua	0xa7
	.uleb128 0x10
	data4.ua	0xa7
	.uleb128 0x10
	data4.ua	0xb8
	data1	0
	.uleb128 0x4
	data4.ua	0xb3
	.uleb128 0x3
	data1	0x1
	data1	0x6
	data4.ua	@secrel(.LASF2)
	.uleb128 0x8
	data4.ua	0xac
	.uleb128 0x3
	data1	0x8
	data1	0x5
	data4.ua	@secrel(.LASF3)
	.uleb128 0x9
	data4.ua	@secrel(.LASF8)
	data1	0x52
	data1	0x5
	data4.ua	0x85
	data8.ua	.LFB7
	data8.ua	.LFE7-.LFB7
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x11a
	.uleb128 0x5
	stringz	"a"
	data1	0x52
	data1	0x19
	data4.ua	0xa7
	data4.ua	@secrel(.LLST37)
	data4.ua	@secrel(.LVUS37)
	.uleb128 0x5
	stringz	"b"
	data1	0x52
	data1	0x28
	data4.ua	0xa7
	data4.ua	@secrel(.LLST38)
	data4.ua	@secrel(.LVUS38)
	.uleb128 0xe
	data8.ua	.LVL61
	data4.ua	0x8c
	.uleb128 0xa
	.uleb128 0x2
	data1	0x90
	.uleb128 0x25
	.uleb128 0x3
	data1	0x92
	.uleb128 0x20
	.sleb128 0
	data1	0
	data1	0
	.uleb128 0x11
	data4.ua	@secrel(.LASF20)
	data1	0x47
	data8.ua	.LFB6
	data8.ua	.LFE6-.LFB6
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x1bf
	.uleb128 0x5
	stringz	"c"
	data1	0x47
	data1	0x20
	data4.ua	0x1e2
	data4.ua	@secrel(.LLST28)
	data4.ua	@secrel(.LVUS28)
	.uleb128 0x7
	stringz	"a"
	data1	0x47
	data1	0x30
	data4.ua	0x1dd
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	.uleb128 0x7
	stringz	"b"
	data1	0x47
	data1	0x40
	data4.ua	0x1dd
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	.uleb128 0x6
	data4.ua	@secrel(.LLRL29)
	.uleb128 0x1
	stringz	"i"
	data1	0x49
	data1	0xe
	data4.ua	0x85
	data4.ua	@secrel(.LLST30)
	data4.ua	@secrel(.LVUS30)
	.uleb128 0x6
	data4.ua	@secrel(.LLRL31)
	.uleb128 0x1
	stringz	"j"
	data1	0x4a
	data1	0x12
	data4.ua	0x85
	data4.ua	@secrel(.LLST32)
	data4.ua	@secrel(.LVUS32)
	.uleb128 0x6
	data4.ua	@secrel(.LLRL33)
	.uleb128 0x1
	stringz	"sum"
	data1	0x4b
	data1	0x13
	data4.ua	0x1d6
	data4.ua	@secrel(.LLST34)
	data4.ua	@secrel(.LVUS34)
	.uleb128 0x6
	data4.ua	@secrel(.LLRL35)
	.uleb128 0x1
	stringz	"k"
	data1	0x4c
	data1	0x16
	data4.ua	0x85
	data4.ua	@secrel(.LLST36)
	data4.ua	@secrel(.LVUS36)
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	.uleb128 0x18
	data4.ua	0x1d6
	data4.ua	0x1cf
	.uleb128 0x19
	data4.ua	0x1cf
	data1	0x3f
	data1	0
	.uleb128 0x3
	data1	0x8
	data1	0x7
	data4.ua	@secrel(.LASF4)
	.uleb128 0x3
	data1	0x4
	data1	0x4
	data4.ua	@secrel(.LASF5)
	.uleb128 0x4
	data4.ua	0x1bf
	.uleb128 0x1a
	data4.ua	0x1dd
	.uleb128 0x1b
	data4.ua	@secrel(.LASF7)
	data1	0x1
	data1	0x41
	data1	0x5
	data4.ua	0x85
	data1	0x1
	data4.ua	0x203
	.uleb128 0x1c
	stringz	"n"
	data1	0x1
	data1	0x41
	data1	0x13
	data4.ua	0x85
	data1	0
	.uleb128 0x9
	data4.ua	@secrel(.LASF9)
	data1	0x39
	data1	0x8
	data4.ua	0x5e
	data8.ua	.LFB4
	data8.ua	.LFE4-.LFB4
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x24c
	.uleb128 0xb
	data4.ua	@secrel(.LASF10)
	data1	0x39
	data1	0x23
	data4.ua	0x24c
	data4.ua	@secrel(.LLST14)
	data4.ua	@secrel(.LVUS14)
	.uleb128 0x1
	stringz	"sum"
	data1	0x3b
	data1	0xc
	data4.ua	0x5e
	data4.ua	@secrel(.LLST15)
	data4.ua	@secrel(.LVUS15)
	data1	0
	.uleb128 0x4
	data4.ua	0x59
	.uleb128 0x9
	data4.ua	@secrel(.LASF11)
	data1	0x23
	data1	0x6
	data4.ua	0xb8
	data8.ua	.LFB3
	data8.ua	.LFE3-.LFB3
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x2ba
	.uleb128 0xb
	data4.ua	@secrel(.LASF12)
	data1	0x23
	data1	0xf
	data4.ua	0x85
	data4.ua	@secrel(.LLST13)
	data4.ua	@secrel(.LVUS13)
	.uleb128 0x1d
	data4.ua	@secrel(.LASF13)
	data1	0x1
	data1	0x23
	data1	0x1a
	data4.ua	0xb8
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	.uleb128 0xe
	data8.ua	.LVL23
	data4.ua	0x8c
	.uleb128 0xa
	.uleb128 0x2
	data1	0x90
	.uleb128 0x25
	.uleb128 0x9
	data1	0x3
	data8.ua	.LC0
	.uleb128 0xa
	.uleb128 0x2
	data1	0x90
	.uleb128 0x26
	.uleb128 0x3
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0
	data1	0
	.uleb128 0x9
	data4.ua	@secrel(.LASF14)
	data1	0x19
	data1	0xa
	data4.ua	0x32a
	data8.ua	.LFB2
	data8.ua	.LFE2-.LFB2
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x32a
	.uleb128 0xb
	data4.ua	@secrel(.LASF15)
	data1	0x19
	data1	0x28
	data4.ua	0x331
	data4.ua	@secrel(.LLST9)
	data4.ua	@secrel(.LVUS9)
	.uleb128 0xb
	data4.ua	@secrel(.LASF16)
	data1	0x19
	data1	0x3d
	data4.ua	0x1cf
	data4.ua	@secrel(.LLST10)
	data4.ua	@secrel(.LVUS10)
	.uleb128 0x1
	stringz	"sum"
	data1	0x1b
	data1	0xe
	data4.ua	0x32a
	data4.ua	@secrel(.LLST11)
	data4.ua	@secrel(.LVUS11)
	.uleb128 0x1e
	data4.ua	@secrel(.LASF17)
	data1	0x1
	data1	0x1b
	data1	0x17
	data4.ua	0x32a
	data4.ua	@secrel(.LLST12)
	data4.ua	@secrel(.LVUS12)
	data1	0
	.uleb128 0x3
	data1	0x4
	data1	0x7
	data4.ua	@secrel(.LASF18)
	.uleb128 0x4
	data4.ua	0x33d
	.uleb128 0x3
	data1	0x1
	data1	0x8
	data4.ua	@secrel(.LASF19)
	.uleb128 0x8
	data4.ua	0x336
	.uleb128 0x1f
	stringz	"dot"
	data1	0x1
	data1	0x11
	data1	0x8
	data4.ua	0x5e
	data8.ua	.LFB1
	data8.ua	.LFE1-.LFB1
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x3be
	.uleb128 0x7
	stringz	"n"
	data1	0x11
	data1	0x10
	data4.ua	0x85
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	.uleb128 0x5
	stringz	"x"
	data1	0x11
	data1	0x21
	data4.ua	0x3be
	data4.ua	@secrel(.LLST4)
	data4.ua	@secrel(.LVUS4)
	.uleb128 0x5
	stringz	"y"
	data1	0x11
	data1	0x32
	data4.ua	0x3be
	data4.ua	@secrel(.LLST5)
	data4.ua	@secrel(.LVUS5)
	.uleb128 0x1
	stringz	"sum"
	data1	0x13
	data1	0xc
	data4.ua	0x5e
	data4.ua	@secrel(.LLST6)
	data4.ua	@secrel(.LVUS6)
	.uleb128 0x6
	data4.ua	@secrel(.LLRL7)
	.uleb128 0x1
	stringz	"i"
	data1	0x14
	data1	0xe
	data4.ua	0x85
	data4.ua	@secrel(.LLST8)
	data4.ua	@secrel(.LVUS8)
	data1	0
	data1	0
	.uleb128 0x4
	data4.ua	0x65
	.uleb128 0x11
	data4.ua	@secrel(.LASF21)
	data1	0xb
	data8.ua	.LFB0
	data8.ua	.LFE0-.LFB0
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	data4.ua	0x433
	.uleb128 0x7
	stringz	"n"
	data1	0xb
	data1	0x10
	data4.ua	0x85
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	.uleb128 0x7
	stringz	"a"
	data1	0xb
	data1	0x1a
	data4.ua	0x5e
	.uleb128 0x3
	data1	0x90
	.uleb128 0x88
	.uleb128 0x5
	stringz	"x"
	data1	0xb
	data1	0x2b
	data4.ua	0x3be
	data4.ua	@secrel(.LLST0)
	data4.ua	@secrel(.LVUS0)
	.uleb128 0x5
	stringz	"y"
	data1	0xb
	data1	0x36
	data4.ua	0x433
	data4.ua	@secrel(.LLST1)
	data4.ua	@secrel(.LVUS1)
	.uleb128 0x6
	data4.ua	@secrel(.LLRL2)
	.uleb128 0x1
	stringz	"i"
	data1	0xd
	data1	0xe
	data4.ua	0x85
	data4.ua	@secrel(.LLST3)
	data4.ua	@secrel(.LVUS3)
	data1	0
	data1	0
	.uleb128 0x4
	data4.ua	0x5e
	.uleb128 0x20
	data4.ua	0x1e7
	data8.ua	.LFB5
	data8.ua	.LFE5-.LFB5
	.uleb128 0x2
	data1	0x7c
	.sleb128 0
	.uleb128 0x21
	data4.ua	0x1f8
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	.uleb128 0xc
	data4.ua	0x1e7
	data8.ua	.LBI23
	data1	.LVU135
	data4.ua	@secrel(.LLRL16)
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST17)
	data4.ua	@secrel(.LVUS17)
	.uleb128 0xd
	data4.ua	0x1e7
	data8.ua	.LBI25
	data1	.LVU140
	data8.ua	.LBB25
	data8.ua	.LBE25-.LBB25
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST18)
	data4.ua	@secrel(.LVUS18)
	.uleb128 0xc
	data4.ua	0x1e7
	data8.ua	.LBI27
	data1	.LVU147
	data4.ua	@secrel(.LLRL19)
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST20)
	data4.ua	@secrel(.LVUS20)
	.uleb128 0xd
	data4.ua	0x1e7
	data8.ua	.LBI29
	data1	.LVU152
	data8.ua	.LBB29
	data8.ua	.LBE29-.LBB29
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST21)
	data4.ua	@secrel(.LVUS21)
	.uleb128 0xc
	data4.ua	0x1e7
	data8.ua	.LBI31
	data1	.LVU159
	data4.ua	@secrel(.LLRL22)
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST23)
	data4.ua	@secrel(.LVUS23)
	.uleb128 0xd
	data4.ua	0x1e7
	data8.ua	.LBI33
	data1	.LVU164
	data8.ua	.LBB33
	data8.ua	.LBE33-.LBB33
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST24)
	data4.ua	@secrel(.LVUS24)
	.uleb128 0xc
	data4.ua	0x1e7
	data8.ua	.LBI35
	data1	.LVU171
	data4.ua	@secrel(.LLRL25)
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST26)
	data4.ua	@secrel(.LVUS26)
	.uleb128 0xd
	data4.ua	0x1e7
	data8.ua	.LBI37
	data1	.LVU176
	data8.ua	.LBB37
	data8.ua	.LBE37-.LBB37
	.uleb128 0x2
	data4.ua	0x1f8
	data4.ua	@secrel(.LLST27)
	data4.ua	@secrel(.LVUS27)
	.uleb128 0xe
	data8.ua	.LVL38
	data4.ua	0x1e7
	.uleb128 0xa
	.uleb128 0x2
	data1	0x90
	.uleb128 0x4b
	.uleb128 0x3
	data1	0x92
	.uleb128 0x3d
	.sleb128 2
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	data1	0
	.section	.debug_abbrev,"",@progbits
.Ldebug_abbrev0:
	.uleb128 0x1
	.uleb128 0x34
	data1	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x2
	.uleb128 0x5
	data1	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x3
	.uleb128 0x24
	data1	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	data1	0
	data1	0
	.uleb128 0x4
	.uleb128 0xf
	data1	0
	.uleb128 0xb
	.uleb128 0x21
	.sleb128 8
	.uleb128 0x49
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x5
	.uleb128 0x5
	data1	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x6
	.uleb128 0xb
	data1	0x1
	.uleb128 0x55
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x7
	.uleb128 0x5
	data1	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	data1	0
	data1	0
	.uleb128 0x8
	.uleb128 0x26
	data1	0
	.uleb128 0x49
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x9
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0xa
	.uleb128 0x49
	data1	0
	.uleb128 0x2
	.uleb128 0x18
	.uleb128 0x7e
	.uleb128 0x18
	data1	0
	data1	0
	.uleb128 0xb
	.uleb128 0x5
	data1	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0xc
	.uleb128 0x1d
	data1	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x55
	.uleb128 0x17
	.uleb128 0x58
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x59
	.uleb128 0x21
	.sleb128 68
	.uleb128 0x57
	.uleb128 0x21
	.sleb128 24
	data1	0
	data1	0
	.uleb128 0xd
	.uleb128 0x1d
	data1	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x52
	.uleb128 0x1
	.uleb128 0x2138
	.uleb128 0xb
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x58
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x59
	.uleb128 0x21
	.sleb128 68
	.uleb128 0x57
	.uleb128 0x21
	.sleb128 24
	data1	0
	data1	0
	.uleb128 0xe
	.uleb128 0x48
	data1	0x1
	.uleb128 0x7d
	.uleb128 0x1
	.uleb128 0x7f
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0xf
	.uleb128 0xd
	data1	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0x21
	.sleb128 4
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	data1	0
	data1	0
	.uleb128 0x10
	.uleb128 0x5
	data1	0
	.uleb128 0x49
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x11
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0x21
	.sleb128 1
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0x21
	.sleb128 6
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x12
	.uleb128 0x11
	data1	0x1
	.uleb128 0x25
	.uleb128 0xe
	.uleb128 0x13
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x1b
	.uleb128 0x8
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x10
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x13
	.uleb128 0x13
	data1	0x1
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x14
	.uleb128 0xd
	data1	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x38
	.uleb128 0xb
	data1	0
	data1	0
	.uleb128 0x15
	.uleb128 0x34
	data1	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	data1	0
	data1	0
	.uleb128 0x16
	.uleb128 0x24
	data1	0
	.uleb128 0xb
	.uleb128 0xb
	.uleb128 0x3e
	.uleb128 0xb
	.uleb128 0x3
	.uleb128 0x8
	data1	0
	data1	0
	.uleb128 0x17
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x3c
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x18
	.uleb128 0x1
	data1	0x1
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x19
	.uleb128 0x21
	data1	0
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2f
	.uleb128 0xb
	data1	0
	data1	0
	.uleb128 0x1a
	.uleb128 0x37
	data1	0
	.uleb128 0x49
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x1b
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x20
	.uleb128 0xb
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x1c
	.uleb128 0x5
	data1	0
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x1d
	.uleb128 0x5
	data1	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	data1	0
	data1	0
	.uleb128 0x1e
	.uleb128 0x34
	data1	0
	.uleb128 0x3
	.uleb128 0xe
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x17
	.uleb128 0x2137
	.uleb128 0x17
	data1	0
	data1	0
	.uleb128 0x1f
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x3f
	.uleb128 0x19
	.uleb128 0x3
	.uleb128 0x8
	.uleb128 0x3a
	.uleb128 0xb
	.uleb128 0x3b
	.uleb128 0xb
	.uleb128 0x39
	.uleb128 0xb
	.uleb128 0x27
	.uleb128 0x19
	.uleb128 0x49
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	.uleb128 0x1
	.uleb128 0x13
	data1	0
	data1	0
	.uleb128 0x20
	.uleb128 0x2e
	data1	0x1
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x11
	.uleb128 0x1
	.uleb128 0x12
	.uleb128 0x7
	.uleb128 0x40
	.uleb128 0x18
	.uleb128 0x7a
	.uleb128 0x19
	data1	0
	data1	0
	.uleb128 0x21
	.uleb128 0x5
	data1	0
	.uleb128 0x31
	.uleb128 0x13
	.uleb128 0x2
	.uleb128 0x18
	data1	0
	data1	0
	data1	0
	.section	.debug_loclists,"",@progbits
	data4.ua	.Ldebug_loc3-.Ldebug_loc2
.Ldebug_loc2:
	data2.ua	0x5
	data1	0x8
	data1	0
	data4.ua	0
.Ldebug_loc0:
.LVUS37:
	.uleb128 0
	.uleb128 .LVU289
	.uleb128 .LVU289
	.uleb128 0
.LLST37:
	data1	0x4
	.uleb128 .LVL56-.Ltext0
	.uleb128 .LVL59-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x4
	.uleb128 .LVL59-.Ltext0
	.uleb128 .LFE7-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0
.LVUS38:
	.uleb128 0
	.uleb128 .LVU286
	.uleb128 .LVU286
	.uleb128 .LVU287
	.uleb128 .LVU287
	.uleb128 .LVU289
	.uleb128 .LVU289
	.uleb128 .LVU293
	.uleb128 .LVU293
	.uleb128 0
.LLST38:
	data1	0x4
	.uleb128 .LVL56-.Ltext0
	.uleb128 .LVL57-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x4
	.uleb128 .LVL57-.Ltext0
	.uleb128 .LVL58-.Ltext0
	.uleb128 0x1
	data1	0x5f
	data1	0x4
	.uleb128 .LVL58-.Ltext0
	.uleb128 .LVL59-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x4
	.uleb128 .LVL59-.Ltext0
	.uleb128 .LVL60-.Ltext0
	.uleb128 0x1
	data1	0x5f
	data1	0x4
	.uleb128 .LVL60-.Ltext0
	.uleb128 .LFE7-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0
.LVUS28:
	.uleb128 0
	.uleb128 .LVU255
	.uleb128 .LVU255
	.uleb128 0
.LLST28:
	data1	0x4
	.uleb128 .LVL47-.Ltext0
	.uleb128 .LVL48-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x4
	.uleb128 .LVL48-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x9f
	data1	0
.LVUS30:
	.uleb128 .LVU252
	.uleb128 .LVU255
	.uleb128 .LVU255
	.uleb128 .LVU275
	.uleb128 .LVU275
	.uleb128 0
.LLST30:
	data1	0x4
	.uleb128 .LVL47-.Ltext0
	.uleb128 .LVL48-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL48-.Ltext0
	.uleb128 .LVL54-.Ltext0
	.uleb128 0xd
	data1	0x84
	.sleb128 0
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x1c
	data1	0xa
	data2.ua	0x100
	data1	0x1c
	data1	0x38
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL54-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0xf
	data1	0x7f
	.sleb128 0
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x1c
	data1	0xa
	data2.ua	0x100
	data1	0x1c
	data1	0x38
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0
.LVUS32:
	.uleb128 .LVU255
	.uleb128 .LVU257
	.uleb128 .LVU257
	.uleb128 .LVU271
	.uleb128 .LVU271
	.uleb128 .LVU273
	.uleb128 .LVU273
	.uleb128 .LVU276
	.uleb128 .LVU276
	.uleb128 0
.LLST32:
	data1	0x4
	.uleb128 .LVL48-.Ltext0
	.uleb128 .LVL49-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL49-.Ltext0
	.uleb128 .LVL53-.Ltext0
	.uleb128 0x14
	data1	0x83
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x1c
	data1	0x84
	.sleb128 0
	data1	0x1c
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x22
	data1	0x23
	.uleb128 0x100
	data1	0x32
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL53-.Ltext0
	.uleb128 .LVL53-.Ltext0
	.uleb128 0x14
	data1	0x83
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x1c
	data1	0x84
	.sleb128 0
	data1	0x1c
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x22
	data1	0x23
	.uleb128 0xfc
	data1	0x32
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL53-.Ltext0
	.uleb128 .LVL55-.Ltext0
	.uleb128 0x16
	data1	0x83
	.sleb128 0
	data1	0x84
	.sleb128 0
	data1	0x1c
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x22
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x1c
	data1	0x23
	.uleb128 0xfc
	data1	0x32
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0x4
	.uleb128 .LVL55-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0x15
	data1	0x83
	.sleb128 0
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0x22
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x1c
	data1	0x82
	.sleb128 0
	data1	0x1c
	data1	0x34
	data1	0x1c
	data1	0x32
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0
.LVUS34:
	.uleb128 .LVU257
	.uleb128 .LVU261
	.uleb128 .LVU261
	.uleb128 0
.LLST34:
	data1	0x4
	.uleb128 .LVL49-.Ltext0
	.uleb128 .LVL50-.Ltext0
	.uleb128 0x6
	data1	0x9e
	.uleb128 0x4
	data4.ua	0
	data1	0x4
	.uleb128 .LVL50-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0x3
	data1	0x90
	.uleb128 0x86
	data1	0
.LVUS36:
	.uleb128 .LVU257
	.uleb128 .LVU261
	.uleb128 .LVU261
	.uleb128 .LVU265
	.uleb128 .LVU265
	.uleb128 .LVU267
	.uleb128 .LVU267
	.uleb128 0
.LLST36:
	data1	0x4
	.uleb128 .LVL49-.Ltext0
	.uleb128 .LVL50-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL50-.Ltext0
	.uleb128 .LVL51-.Ltext0
	.uleb128 0x8
	data1	0x7f
	.sleb128 0
	data1	0x82
	.sleb128 0
	data1	0x1c
	data1	0x32
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL51-.Ltext0
	.uleb128 .LVL52-.Ltext0
	.uleb128 0xa
	data1	0x7f
	.sleb128 0
	data1	0x82
	.sleb128 0
	data1	0x1c
	data1	0x34
	data1	0x1c
	data1	0x32
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL52-.Ltext0
	.uleb128 .LFE6-.Ltext0
	.uleb128 0xc
	data1	0x7f
	.sleb128 0
	data1	0x82
	.sleb128 0
	data1	0x1c
	data1	0x34
	data1	0x1c
	data1	0x32
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0
.LVUS14:
	.uleb128 0
	.uleb128 .LVU109
	.uleb128 .LVU109
	.uleb128 .LVU115
	.uleb128 .LVU115
	.uleb128 0
.LLST14:
	data1	0x4
	.uleb128 .LVL24-.Ltext0
	.uleb128 .LVL26-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x4
	.uleb128 .LVL26-.Ltext0
	.uleb128 .LVL27-.Ltext0
	.uleb128 0x3
	data1	0x7e
	.sleb128 -8
	data1	0x9f
	data1	0x4
	.uleb128 .LVL27-.Ltext0
	.uleb128 .LFE4-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0
.LVUS15:
	.uleb128 .LVU99
	.uleb128 .LVU104
	.uleb128 .LVU104
	.uleb128 .LVU116
.LLST15:
	data1	0x4
	.uleb128 .LVL24-.Ltext0
	.uleb128 .LVL25-.Ltext0
	.uleb128 0xa
	data1	0x9e
	.uleb128 0x8
	data4.ua	0
	data4.ua	0
	data1	0x4
	.uleb128 .LVL25-.Ltext0
	.uleb128 .LVL28-.Ltext0
	.uleb128 0x3
	data1	0x90
	.uleb128 0x88
	data1	0
.LVUS13:
	.uleb128 0
	.uleb128 .LVU63
	.uleb128 .LVU63
	.uleb128 0
.LLST13:
	data1	0x4
	.uleb128 .LVL21-.Ltext0
	.uleb128 .LVL22-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x4
	.uleb128 .LVL22-.Ltext0
	.uleb128 .LFE3-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x9f
	data1	0
.LVUS9:
	.uleb128 0
	.uleb128 .LVU45
	.uleb128 .LVU45
	.uleb128 .LVU52
	.uleb128 .LVU52
	.uleb128 0
.LLST9:
	data1	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LVL14-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0x4
	.uleb128 .LVL14-.Ltext0
	.uleb128 .LVL18-.Ltext0
	.uleb128 0x4
	data1	0x92
	.uleb128 0x20
	.sleb128 -1
	data1	0x9f
	data1	0x4
	.uleb128 .LVL18-.Ltext0
	.uleb128 .LFE2-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x20
	data1	0
.LVUS10:
	.uleb128 0
	.uleb128 .LVU41
	.uleb128 .LVU41
	.uleb128 .LVU56
.LLST10:
	data1	0x4
	.uleb128 .LVL11-.Ltext0
	.uleb128 .LVL12-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL20-.Ltext0
	.uleb128 0x4
	data1	0x92
	.uleb128 0x21
	.sleb128 -1
	data1	0x9f
	data1	0
.LVUS11:
	.uleb128 .LVU39
	.uleb128 .LVU43
	.uleb128 .LVU43
	.uleb128 .LVU47
	.uleb128 .LVU50
	.uleb128 .LVU56
.LLST11:
	data1	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL13-.Ltext0
	.uleb128 0x2
	data1	0x31
	data1	0x9f
	data1	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL15-.Ltext0
	.uleb128 0x1
	data1	0x61
	data1	0x4
	.uleb128 .LVL17-.Ltext0
	.uleb128 .LVL20-.Ltext0
	.uleb128 0x1
	data1	0x58
	data1	0
.LVUS12:
	.uleb128 .LVU39
	.uleb128 .LVU43
	.uleb128 .LVU43
	.uleb128 .LVU49
	.uleb128 .LVU52
	.uleb128 .LVU55
.LLST12:
	data1	0x4
	.uleb128 .LVL12-.Ltext0
	.uleb128 .LVL13-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL13-.Ltext0
	.uleb128 .LVL16-.Ltext0
	.uleb128 0x1
	data1	0x60
	data1	0x4
	.uleb128 .LVL18-.Ltext0
	.uleb128 .LVL19-.Ltext0
	.uleb128 0x1
	data1	0x5e
	data1	0
.LVUS4:
	.uleb128 0
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 0
.LLST4:
	data1	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x9f
	data1	0
.LVUS5:
	.uleb128 0
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 0
.LLST5:
	data1	0x4
	.uleb128 .LVL5-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	data1	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LFE1-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	data1	0x9f
	data1	0
.LVUS6:
	.uleb128 .LVU17
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU30
.LLST6:
	data1	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0xa
	data1	0x9e
	.uleb128 0x8
	data4.ua	0
	data4.ua	0
	data1	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LVL10-.Ltext0
	.uleb128 0x3
	data1	0x90
	.uleb128 0x88
	data1	0
.LVUS8:
	.uleb128 .LVU19
	.uleb128 .LVU24
	.uleb128 .LVU24
	.uleb128 .LVU26
	.uleb128 .LVU26
	.uleb128 .LVU29
	.uleb128 .LVU29
	.uleb128 .LVU30
.LLST8:
	data1	0x4
	.uleb128 .LVL6-.Ltext0
	.uleb128 .LVL7-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL7-.Ltext0
	.uleb128 .LVL8-.Ltext0
	.uleb128 0xb
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL8-.Ltext0
	.uleb128 .LVL9-.Ltext0
	.uleb128 0xd
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x1c
	data1	0x38
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL9-.Ltext0
	.uleb128 .LVL10-.Ltext0
	.uleb128 0xf
	data1	0x92
	.uleb128 0x21
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x21
	data1	0x1c
	data1	0x38
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0
.LVUS0:
	.uleb128 0
	.uleb128 .LVU6
	.uleb128 .LVU6
	.uleb128 0
.LLST0:
	data1	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL1-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	data1	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LFE0-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	data1	0x9f
	data1	0
.LVUS1:
	.uleb128 0
	.uleb128 .LVU6
	.uleb128 .LVU6
	.uleb128 0
.LLST1:
	data1	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL1-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LFE0-.Ltext0
	.uleb128 0x5
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x9f
	data1	0
.LVUS3:
	.uleb128 .LVU3
	.uleb128 .LVU6
	.uleb128 .LVU6
	.uleb128 .LVU8
	.uleb128 .LVU8
	.uleb128 .LVU11
	.uleb128 .LVU11
	.uleb128 .LVU12
.LLST3:
	data1	0x4
	.uleb128 .LVL0-.Ltext0
	.uleb128 .LVL1-.Ltext0
	.uleb128 0x2
	data1	0x30
	data1	0x9f
	data1	0x4
	.uleb128 .LVL1-.Ltext0
	.uleb128 .LVL2-.Ltext0
	.uleb128 0xb
	data1	0x92
	.uleb128 0x23
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL2-.Ltext0
	.uleb128 .LVL3-.Ltext0
	.uleb128 0xd
	data1	0x92
	.uleb128 0x23
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x1c
	data1	0x38
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x9f
	data1	0x4
	.uleb128 .LVL3-.Ltext0
	.uleb128 .LVL4-.Ltext0
	.uleb128 0xf
	data1	0x92
	.uleb128 0x23
	.sleb128 0
	data1	0xa3
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x1c
	data1	0x38
	data1	0x1c
	data1	0x33
	data1	0x25
	data1	0x23
	.uleb128 0x1
	data1	0x9f
	data1	0
.LVUS17:
	.uleb128 .LVU135
	.uleb128 .LVU140
	.uleb128 .LVU140
	.uleb128 .LVU239
.LLST17:
	data1	0x4
	.uleb128 .LVL30-.Ltext0
	.uleb128 .LVL31-.Ltext0
	.uleb128 0x1
	data1	0x5f
	data1	0x4
	.uleb128 .LVL31-.Ltext0
	.uleb128 .LVL46-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x32
	data1	0
.LVUS18:
	.uleb128 .LVU140
	.uleb128 .LVU233
.LLST18:
	data1	0x4
	.uleb128 .LVL31-.Ltext0
	.uleb128 .LVL45-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x41
	data1	0
.LVUS20:
	.uleb128 .LVU147
	.uleb128 .LVU152
	.uleb128 .LVU152
	.uleb128 .LVU226
.LLST20:
	data1	0x4
	.uleb128 .LVL32-.Ltext0
	.uleb128 .LVL33-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x23
	data1	0x4
	.uleb128 .LVL33-.Ltext0
	.uleb128 .LVL44-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x33
	data1	0
.LVUS21:
	.uleb128 .LVU152
	.uleb128 .LVU220
.LLST21:
	data1	0x4
	.uleb128 .LVL33-.Ltext0
	.uleb128 .LVL43-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x45
	data1	0
.LVUS23:
	.uleb128 .LVU159
	.uleb128 .LVU164
	.uleb128 .LVU164
	.uleb128 .LVU213
.LLST23:
	data1	0x4
	.uleb128 .LVL34-.Ltext0
	.uleb128 .LVL35-.Ltext0
	.uleb128 0x1
	data1	0x5f
	data1	0x4
	.uleb128 .LVL35-.Ltext0
	.uleb128 .LVL42-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x24
	data1	0
.LVUS24:
	.uleb128 .LVU164
	.uleb128 .LVU207
.LLST24:
	data1	0x4
	.uleb128 .LVL35-.Ltext0
	.uleb128 .LVL41-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x31
	data1	0
.LVUS26:
	.uleb128 .LVU171
	.uleb128 .LVU176
	.uleb128 .LVU176
	.uleb128 .LVU200
.LLST26:
	data1	0x4
	.uleb128 .LVL36-.Ltext0
	.uleb128 .LVL37-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x22
	data1	0x4
	.uleb128 .LVL37-.Ltext0
	.uleb128 .LVL40-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x35
	data1	0
.LVUS27:
	.uleb128 .LVU176
	.uleb128 .LVU194
.LLST27:
	data1	0x4
	.uleb128 .LVL37-.Ltext0
	.uleb128 .LVL39-.Ltext0
	.uleb128 0x2
	data1	0x90
	.uleb128 0x28
	data1	0
.Ldebug_loc3:
	.section	.debug_aranges,"",@progbits
	data4.ua	0x2c
	data2.ua	0x2
	data4.ua	@secrel(.Ldebug_info0)
	data1	0x8
	data1	0
	data2.ua	0
	data2.ua	0
	data8.ua	.Ltext0
	data8.ua	.Letext0-.Ltext0
	data8.ua	0
	data8.ua	0
	.section	.debug_rnglists,"",@progbits
.Ldebug_ranges0:
	data4.ua	.Ldebug_ranges3-.Ldebug_ranges2
.Ldebug_ranges2:
	data2.ua	0x5
	data1	0x8
	data1	0
	data4.ua	0
.LLRL2:
	data1	0x4
	.uleb128 .LBB2-.Ltext0
	.uleb128 .LBE2-.Ltext0
	data1	0x4
	.uleb128 .LBB3-.Ltext0
	.uleb128 .LBE3-.Ltext0
	data1	0
.LLRL7:
	data1	0x4
	.uleb128 .LBB4-.Ltext0
	.uleb128 .LBE4-.Ltext0
	data1	0x4
	.uleb128 .LBB5-.Ltext0
	.uleb128 .LBE5-.Ltext0
	data1	0x4
	.uleb128 .LBB6-.Ltext0
	.uleb128 .LBE6-.Ltext0
	data1	0
.LLRL16:
	data1	0x4
	.uleb128 .LBB23-.Ltext0
	.uleb128 .LBE23-.Ltext0
	data1	0x4
	.uleb128 .LBB46-.Ltext0
	.uleb128 .LBE46-.Ltext0
	data1	0
.LLRL19:
	data1	0x4
	.uleb128 .LBB27-.Ltext0
	.uleb128 .LBE27-.Ltext0
	data1	0x4
	.uleb128 .LBB44-.Ltext0
	.uleb128 .LBE44-.Ltext0
	data1	0
.LLRL22:
	data1	0x4
	.uleb128 .LBB31-.Ltext0
	.uleb128 .LBE31-.Ltext0
	data1	0x4
	.uleb128 .LBB42-.Ltext0
	.uleb128 .LBE42-.Ltext0
	data1	0
.LLRL25:
	data1	0x4
	.uleb128 .LBB35-.Ltext0
	.uleb128 .LBE35-.Ltext0
	data1	0x4
	.uleb128 .LBB40-.Ltext0
	.uleb128 .LBE40-.Ltext0
	data1	0
.LLRL29:
	data1	0x4
	.uleb128 .LBB47-.Ltext0
	.uleb128 .LBE47-.Ltext0
	data1	0x4
	.uleb128 .LBB55-.Ltext0
	.uleb128 .LBE55-.Ltext0
	data1	0x4
	.uleb128 .LBB56-.Ltext0
	.uleb128 .LBE56-.Ltext0
	data1	0
.LLRL31:
	data1	0x4
	.uleb128 .LBB48-.Ltext0
	.uleb128 .LBE48-.Ltext0
	data1	0x4
	.uleb128 .LBB54-.Ltext0
	.uleb128 .LBE54-.Ltext0
	data1	0
.LLRL33:
	data1	0x4
	.uleb128 .LBB49-.Ltext0
	.uleb128 .LBE49-.Ltext0
	data1	0x4
	.uleb128 .LBB52-.Ltext0
	.uleb128 .LBE52-.Ltext0
	data1	0x4
	.uleb128 .LBB53-.Ltext0
	.uleb128 .LBE53-.Ltext0
	data1	0
.LLRL35:
	data1	0x4
	.uleb128 .LBB50-.Ltext0
	.uleb128 .LBE50-.Ltext0
	data1	0x4
	.uleb128 .LBB51-.Ltext0
	.uleb128 .LBE51-.Ltext0
	data1	0
.Ldebug_ranges3:
	.section	.debug_line,"",@progbits
.Ldebug_line0:
	.section	.debug_str,"MS",@progbits,1
.LASF13:
	stringz	"value"
.LASF16:
	stringz	"size"
.LASF7:
	stringz	"fibonacci"
.LASF11:
	stringz	"pick"
.LASF14:
	stringz	"checksum"
.LASF9:
	stringz	"length"
.LASF8:
	stringz	"compare"
.LASF20:
	stringz	"multiply"
.LASF5:
	stringz	"float"
.LASF21:
	stringz	"daxpy"
.LASF15:
	stringz	"bytes"
.LASF12:
	stringz	"what"
.LASF25:
	stringz	"calls"
.LASF19:
	stringz	"unsigned char"
.LASF23:
	stringz	"kernels.c"
.LASF2:
	stringz	"char"
.LASF22:
	stringz	"GNU C17 12.2.0 -ffreestanding -O2 -g"
.LASF4:
	stringz	"long unsigned int"
.LASF1:
	stringz	"double"
.LASF24:
	stringz	"point"
.LASF17:
	stringz	"carry"
.LASF3:
	stringz	"long int"
.LASF10:
	stringz	"list"
.LASF6:
	stringz	"observe"
.LASF18:
	stringz	"unsigned int"
.LASF0:
	stringz	"next"
	.ident	"GCC: (GNU) 12.2.0"
