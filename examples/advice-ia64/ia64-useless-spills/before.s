// A sum; in each iteration a value of the frame is loaded and stored back unchanged (the first paper's Figure 8).
	.file "ia64-useless-spills.c"
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
	adds	r17=-1,r32 ;;
	nop.i	0
 }
 {   .mii
	nop.m	0
	mov	ar.lc=r17
	nop.i	0 ;;
 }
 {   .mmi
	mov	r26=r0
	nop.m	0
	nop.i	0 ;;
 }
 {   .mmi
	adds	r12=-64,r12
	mov	r18=r33
	mov	r24=r34 ;;
 }
 {   .mmi
	adds	r31=32,r12
	nop.m	0
	nop.i	0 ;;
 }
 {   .mmi
	st8	[r31]=r24
	nop.m	0
	nop.i	0 ;;
 }
.L1:
 {   .mmi
	ld8	r25=[r18],8
	adds	r31=32,r12
	nop.i	0 ;;
 }
 {   .mmi
	ld8	r24=[r31]
	adds	r30=32,r12
	nop.i	0 ;;
 }
 {   .mmi
	st8	[r30]=r24
	nop.m	0
	nop.i	0 ;;
 }
 {   .mib
	nop.m	0
	add	r26=r26,r25
	br.cloop.sptk	.L1 ;;
 }
 {   .mmi
	adds	r12=64,r12
	nop.m	0
	nop.i	0 ;;
 }
 {   .mmi
	mov	r8=r26
	nop.m	0
	nop.i	0 ;;
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
