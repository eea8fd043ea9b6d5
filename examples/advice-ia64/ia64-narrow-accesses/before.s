// z[i] = x[i] ^ y[i] for pairs of 32-bit numbers, each loaded and stored alone.
	.file "ia64-narrow-accesses.c"
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
	mov	r18=r33
	mov	r19=r34
	mov	r20=r35 ;;
 }
.L1:
 {   .mmi
	ld4	r25=[r18],4
	ld4	r26=[r19],4
	nop.i	0 ;;
 }
 {   .mmi
	ld4	r27=[r18],4
	ld4	r28=[r19],4
	xor	r25=r25,r26 ;;
 }
 {   .mmi
	st4	[r20]=r25,4
	xor	r27=r27,r28
	nop.i	0 ;;
 }
 {   .mib
	st4	[r20]=r27,4
	nop.i	0
	br.cloop.sptk	.L1 ;;
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
