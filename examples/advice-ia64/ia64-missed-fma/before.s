// z[i] = a * x[i] + y[i] in two instructions.
	.file "ia64-missed-fma.c"
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
	ldfd	f9=[r18],8
	ldfd	f10=[r19],8
	nop.i	0 ;;
 }
 {   .mfi
	nop.m	0
	fmpy.d	f9=f8,f9
	nop.i	0 ;;
 }
 {   .mfi
	nop.m	0
	fadd.d	f9=f9,f10
	nop.i	0 ;;
 }
 {   .mib
	stfd	[r20]=f9,8
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
