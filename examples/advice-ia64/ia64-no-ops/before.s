// A sum and a parity, with a stop after each instruction.
	.file "ia64-no-ops.c"
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
	mov	r18=r33
	mov	r19=r34
	mov	r20=r34 ;;
 }
.L1:
 {   .mii
	ld8	r25=[r18],8
	nop.i	0
	nop.i	0 ;;
 }
 {   .mii
	ld8	r27=[r19],8
	nop.i	0
	nop.i	0 ;;
 }
 {   .mii
	adds	r21=1,r21
	nop.i	0
	nop.i	0 ;;
 }
 {   .mii
	add	r26=r26,r25
	nop.i	0
	nop.i	0 ;;
 }
 {   .mii
	xor	r28=r28,r27
	nop.i	0
	nop.i	0 ;;
 }
 {   .mib
	nop.m	0
	nop.i	0
	br.cloop.sptk	.L1 ;;
 }
 {   .mmi
	add	r8=r26,r28
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
