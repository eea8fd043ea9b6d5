// A sum in a register of a function of its own.
	.file "ia64-register-stack.c"
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
	nop.m	0
	nop.i	0 ;;
 }
.L1:
 {   .mmi
	ld8	r25=[r18],8
	nop.m	0
	nop.i	0 ;;
 }
 {   .mib
	nop.m	0
	add	r26=r26,r25
	br.cloop.sptk	.L1 ;;
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
