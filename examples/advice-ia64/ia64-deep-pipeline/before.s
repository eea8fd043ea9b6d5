// y[i] += a * x[i] for 5 elements: a pipeline of 11 stages for 5 iterations.
	.file "ia64-deep-pipeline.c"
	.section .text,	"xa", "progbits"
	.align 32
	.proc  kernel#
	.global kernel#
	.align 32
kernel:
 {   .mii
	alloc	r14=ar.pfs,4,0,0,0
	mov	r15=ar.lc
	mov	r16=pr ;;
 }
 {   .mii
	nop.m	0
	mov	pr.rot=0x10000
	nop.i	0 ;;
 }
 {   .mii
	nop.m	0
	mov	ar.lc=4
	mov	ar.ec=11 ;;
 }
 {   .mmi
	mov	r18=r33
	mov	r19=r34
	mov	r20=r34 ;;
 }
.L1:
 {   .mmf
	(p16)	ldfd	f32=[r18],8
	(p16)	ldfd	f40=[r19],8
	(p22)	fma.d	f50=f8,f38,f46
 }
 {   .mib
	(p26)	stfd	[r20]=f54,8
	nop.i	0
	br.ctop.sptk	.L1 ;;
 }
 {   .mii
	nop.m	0
	mov	ar.lc=r15
	mov	pr=r16,-1 ;;
 }
 {   .mib
	nop.m	0
	nop.i	0
	br.ret.sptk.many	b0 ;;
 }
	.endp  kernel#
