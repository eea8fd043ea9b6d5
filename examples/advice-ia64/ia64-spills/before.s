// A sum that is kept in the frame, though the function takes 4 of 96 stacked registers.
	.file "ia64-spills.c"
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
 {   .mmi
	st8	[r31]=r0
	nop.m	0
	nop.i	0 ;;
 }
.L1:
 {   .mmi
	ld8	r25=[r18],8
	ld8	r24=[r31]
	nop.i	0 ;;
 }
 {   .mmi
	add	r24=r24,r25
	nop.m	0
	nop.i	0 ;;
 }
 {   .mib
	st8	[r31]=r24
	nop.i	0
	br.cloop.sptk	.L1 ;;
 }
 {   .mmi
	ld8	r8=[r31]
	nop.m	0
	nop.i	0 ;;
 }
 {   .mmi
	adds	r12=64,r12
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
