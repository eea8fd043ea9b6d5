// s += a[i * stride] * b: a pointer advances by the stride.
	.file "ia64-float-addresses.c"
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
	mov	r23=r33
	nop.m	0
	nop.i	0 ;;
 }
.L1:
 {   .mfi
	ldfd	f10=[r23],r34
	nop.f	0
	nop.i	0 ;;
 }
 {   .mfb
	nop.m	0
	fma.d	f8=f10,f7,f8
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
