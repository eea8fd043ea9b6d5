	.file "old.c"
	.text
// -- Begin  old
	.proc  old#
// Block 0: entry  Pred:     Succ: 1  -S
// Freq 1.0e+00
	.global old#
	.align 32
old:
 {   .mii
	alloc	r35=ar.pfs,3,1,0,0			//0: 3 1
	mov	r9=r0					//0: 4 2
	nop.i	0 ;;
// Block 1: ltail  Pred: 0 1  Succ: 1 2  -S
// Freq 9.9e+01
 }
.b1_1:
 {   .mib
	ld4	r10=[r33],4				//1: 5 3
	add	r9=r10,r9				//2: 5 4
// Branch taken probability 0.99
	br.cloop.sptk	.b1_1 ;;			//2: 4 5
 }
// Block 2: exit  Pred: 1  Succ:  -S
// Freq 1.0e+00
 {   .mib
	mov	r8=r9					//3: 6 6
	nop.i	0
	br.ret.sptk	b0 ;;				//3: 6 7
 }
	.endp  old#
