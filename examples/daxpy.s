// examples/daxpy.c for Itanium, in the form in which icc 10 writes its listings: unrolled 16 times and
// software-pipelined, 12 cycles an iteration.  Written for Assay by hand.
// mark_description "-O3 -unroll16 -S";
	.file "daxpy.c"
	.section .text,	"xa", "progbits"
	.align 32
// -- Begin  daxpy
	.proc  daxpy#
	.global daxpy#
	.align 32
daxpy:
// Block 0: entry  Pred:     Succ: 2 1     -S
// Freq 1.0e+00
 {   .mii
	alloc	r14=ar.pfs,4,0,0,0			//0: {3:1:daxpy.c} 1
	mov	r15=ar.lc				//0: {3:1} 2
	mov	r16=pr ;;				//0: {3:1} 3
 }
 {   .mii
	nop.m	0
	sxt4	r17=r32				//1: {4:5} 4
	and	r18=15,r32 ;;			//1: {4:5} 5
 }
 {   .mfi
	mov	r20=r34				//2: {5:18} 6
	mov	f6=f8				//2: {5:9} 7
	shr	r17=r17,4 ;;				//2: {4:5} 8
 }
 {   .mmi
	cmp.gt	p7,p6=1,r17			//3: {4:5} 9
	mov	r21=r35				//3: {5:25} 10
	mov	ar.ec=3 ;;				//3: {4:5} 11
 }
 {   .mmi
	adds	r17=-1,r17				//4: {4:5} 12
	mov	r22=r35				//4: {5:9} 13
	mov	pr.rot=0x10000			//4: {4:5} 14
 }
 {   .mmi
	adds	r23=8,r35				//4: {5:9} 15
	adds	r24=1024,r34			//4: {5:18} 16
	nop.i	0 ;;
 }
 {   .mmi
	adds	r25=1024,r35			//5: {5:25} 17
	adds	r26=1152,r35			//5: {5:25} 18
	mov	ar.lc=r17				//5: {4:5} 19
 }
 {   .mmb
	mov	r27=r0				//5: {4:14} 20
	mov	r28=r32				//5: {4:23} 21
// Branch taken probability 0.10
	(p7)	br.cond.dpnt	.b1_2 ;;		//5: {4:5} 22
// Block 1: lentry lexit ltail collapsed pipelined  Pred: 0 1     Succ: 1 2     In Loops: L0  -S
// Freq 1.0e+02
 }
.b1_1: 
 {   .mmf
	(p18)	stfd	[r22]=f16,16			//0: {5:9} 23
	(p18)	stfd	[r23]=f17,16			//0: {5:9} 24
	(p17)	fma.d	f16=f6,f33,f39		//0: {5:18} 25
 }
 {   .mmf
	(p16)	ldfpd	f32,f35=[r20],16		//0: {5:20} 26 lat: 6
	(p16)	ldfpd	f38,f41=[r21],16		//0: {5:27} 27 lat: 6
	(p17)	fma.d	f17=f6,f36,f42 ;;		//0: {5:18} 28
 }
 {   .mmf
	(p18)	stfd	[r22]=f18,16			//1: {5:9} 29
	(p18)	stfd	[r23]=f19,16			//1: {5:9} 30
	(p17)	fma.d	f18=f6,f45,f51		//1: {5:18} 31
 }
 {   .mmf
	(p16)	ldfpd	f44,f47=[r20],16		//1: {5:20} 32 lat: 6
	(p16)	ldfpd	f50,f53=[r21],16		//1: {5:27} 33 lat: 6
	(p17)	fma.d	f19=f6,f48,f54 ;;		//1: {5:18} 34
 }
 {   .mii
	(p16)	lfetch.nt1	[r24]			//2: {5:20} 35
	adds	r24=128,r24				//2: {5:20} 36
	nop.i	0 ;;
 }
 {   .mmf
	(p18)	stfd	[r22]=f20,16			//3: {5:9} 37
	(p18)	stfd	[r23]=f21,16			//3: {5:9} 38
	(p17)	fma.d	f20=f6,f57,f63		//3: {5:18} 39
 }
 {   .mmf
	(p16)	ldfpd	f56,f59=[r20],16		//3: {5:20} 40 lat: 6
	(p16)	ldfpd	f62,f65=[r21],16		//3: {5:27} 41 lat: 6
	(p17)	fma.d	f21=f6,f60,f66 ;;		//3: {5:18} 42
 }
 {   .mmf
	(p18)	stfd	[r22]=f22,16			//4: {5:9} 43
	(p18)	stfd	[r23]=f23,16			//4: {5:9} 44
	(p17)	fma.d	f22=f6,f69,f75		//4: {5:18} 45
 }
 {   .mmf
	(p16)	ldfpd	f68,f71=[r20],16		//4: {5:20} 46 lat: 6
	(p16)	ldfpd	f74,f77=[r21],16		//4: {5:27} 47 lat: 6
	(p17)	fma.d	f23=f6,f72,f78 ;;		//4: {5:18} 48
 }
 {   .mii
	(p16)	lfetch.excl.nt1	[r25]		//5: {5:27} 49
	adds	r25=128,r25				//5: {5:27} 50
	nop.i	0 ;;
 }
 {   .mmf
	(p18)	stfd	[r22]=f24,16			//6: {5:9} 51
	(p18)	stfd	[r23]=f25,16			//6: {5:9} 52
	(p17)	fma.d	f24=f6,f81,f87		//6: {5:18} 53
 }
 {   .mmf
	(p16)	ldfpd	f80,f83=[r20],16		//6: {5:20} 54 lat: 6
	(p16)	ldfpd	f86,f89=[r21],16		//6: {5:27} 55 lat: 6
	(p17)	fma.d	f25=f6,f84,f90 ;;		//6: {5:18} 56
 }
 {   .mmf
	(p18)	stfd	[r22]=f26,16			//7: {5:9} 57
	(p18)	stfd	[r23]=f27,16			//7: {5:9} 58
	(p17)	fma.d	f26=f6,f93,f99		//7: {5:18} 59
 }
 {   .mmf
	(p16)	ldfpd	f92,f95=[r20],16		//7: {5:20} 60 lat: 6
	(p16)	ldfpd	f98,f101=[r21],16		//7: {5:27} 61 lat: 6
	(p17)	fma.d	f27=f6,f96,f102 ;;		//7: {5:18} 62
 }
 {   .mii
	(p16)	lfetch.excl.nt1	[r26]		//8: {5:27} 63
	adds	r26=128,r26				//8: {5:27} 64
	adds	r27=16,r27 ;;			//8: {4:28} 65
 }
 {   .mmf
	(p18)	stfd	[r22]=f28,16			//9: {5:9} 66
	(p18)	stfd	[r23]=f29,16			//9: {5:9} 67
	(p17)	fma.d	f28=f6,f105,f111		//9: {5:18} 68
 }
 {   .mmf
	(p16)	ldfpd	f104,f107=[r20],16		//9: {5:20} 69 lat: 6
	(p16)	ldfpd	f110,f113=[r21],16		//9: {5:27} 70 lat: 6
	(p17)	fma.d	f29=f6,f108,f114 ;;		//9: {5:18} 71
 }
 {   .mmf
	(p18)	stfd	[r22]=f30,16			//10: {5:9} 72
	(p18)	stfd	[r23]=f31,16			//10: {5:9} 73
	(p17)	fma.d	f30=f6,f117,f123		//10: {5:18} 74
 }
 {   .mmf
	(p16)	ldfpd	f116,f119=[r20],16		//10: {5:20} 75 lat: 6
	(p16)	ldfpd	f122,f125=[r21],16		//10: {5:27} 76 lat: 6
	(p17)	fma.d	f31=f6,f120,f126 ;;		//10: {5:18} 77
 }
 {   .mib
	nop.m	0
	adds	r28=-16,r28				//11: {4:23} 78
// Branch taken probability 0.99
	br.ctop.sptk	.b1_1 ;;			//11: {4:5} 79
// Block 2: lpre  Pred: 1 0     Succ: 4 3     -S
// Freq 1.0e+00
 }
.b1_2: 
 {   .mmi
	cmp4.eq	p8,p0=0,r18			//0: {4:5} 80
	adds	r19=-1,r18				//0: {4:5} 81
	nop.i	0 ;;
 }
 {   .mii
	nop.m	0
	mov	ar.lc=r19				//1: {4:5} 82
	nop.i	0 ;;
 }
 {   .mib
	nop.m	0
	nop.i	0
// Branch taken probability 0.10
	(p8)	br.cond.dpnt	.b1_4 ;;		//2: {4:5} 83
// Block 3: lentry lexit ltail  Pred: 3 2     Succ: 3 4     In Loops: L1  -S
// Freq 8.0e+00
 }
.b1_3: 
 {   .mmi
	ldfd	f9=[r20],8				//0: {5:20} 84 lat: 6
	ldfd	f10=[r21],8				//0: {5:27} 85 lat: 6
	nop.i	0 ;;
 }
 {   .mfi
	nop.m	0
	fma.d	f9=f6,f9,f10			//6: {5:18} 86
	nop.i	0 ;;
 }
 {   .mib
	stfd	[r22]=f9,8				//10: {5:9} 87
	nop.i	0
// Branch taken probability 0.87
	br.cloop.sptk	.b1_3 ;;			//10: {4:5} 88
// Block 4: exit  Pred: 3 2     Succ:     -S
// Freq 1.0e+00
 }
.b1_4: 
 {   .mii
	nop.m	0
	mov	ar.lc=r15				//0: {6:1} 89
	mov	pr=r16,-1 ;;				//0: {6:1} 90
 }
 {   .mib
	nop.m	0
	nop.i	0
	br.ret.sptk.many	b0 ;;			//1: {6:1} 91
 }
// -- End  daxpy
	.endp  daxpy#
