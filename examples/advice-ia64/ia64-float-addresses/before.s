// s += a[i * stride] * b: the place of each element is multiplied.
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
	setf.sig	f6=r34
	mov	r21=r0
	nop.i	0 ;;
 }
.L1:
 {   .mfi
	setf.sig	f9=r21
	nop.f	0
	nop.i	0 ;;
 }
 {   .mfi
	nop.m	0
	xma.l	f9=f9,f6,f0
	nop.i	0 ;;
 }
 {   .mfi
	getf.sig	r22=f9
	nop.f	0
	nop.i	0 ;;
 }
 {   .mii
	adds	r21=1,r21
	add	r23=r33,r22
	nop.i	0 ;;
 }
 {   .mfi
	ldfd	f10=[r23]
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
