// z[i] = x[i] ^ y[i], two 32-bit numbers at a time.
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
	ld8	r25=[r18],8
	ld8	r26=[r19],8
	nop.i	0 ;;
 }
 {   .mmi
	xor	r25=r25,r26
	nop.m	0
	nop.i	0 ;;
 }
 {   .mib
	st8	[r20]=r25,8
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
