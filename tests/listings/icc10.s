	.file "scale.c"
	.pred.safe_across_calls p1-p5,p16-p63
// mark_description "Intel(R) C++ Compiler for applications running on IA-64, Version 10.1    Build 20070913 %s";
// mark_description "-O2 -S -fno-alias";
	.section	.text, "xa", "progbits"
	.align	64
// -- Begin  scale
// mark_begin;
// Block 0: entry  Pred:     Succ: 1 3  -S
// Freq 1.0e+00
	.proc  scale#, scale.part$0#
	.global scale#
	.align 64
scale:
 {   .mii
	alloc	r36=ar.pfs,4,8,0,8			//0: {5:1:scale.c} 3
	cmp4.ge.unc	p6,p7=0,r32			//0: {6:17} 5
	mov	r37=ar.lc				//0: {5:1} 7
 }
 {   .mib
	nop.m	0
	nop.i	0
// Branch taken probability 0.05
  (p6)br.cond.dpnt.many	.b1_3 ;;			//0: {6:17} 6
 }
// Block 1: Pred: 0     Succ: 2  -S
// Freq 9.5e-01
 {   .mii
	adds	r14=-1,r32				//1: {6:17} 20
	mov	pr.rot=0x10000				//1: {6:3} 30
	mov	ar.ec=9 ;;				//1: {6:3} 31
 }
 {   .mii
	mov	r18=r33					//2: {7:12} 22
	mov	ar.lc=r14				//2: {6:3} 23
	mov	r20=r34 ;;				//2: {7:5} 24
// Block 2: lentry lexit ltail collapsed pipelined  Pred: 2 1     Succ: 2 3     In Loops: L0  -S
// Freq 1.0e+02
 }
.b1_2: 
 {   .mfi
  (p16)ldfd	f32=[r18],8				//0: {7:12} 41 lat: 11
  (p22)fma.d	f40=f38,f6,f39				//0: {7:5} 43
	nop.i	0
 }
 {   .mib
  (p26)stfd	[r20]=f44,8				//0: {7:5} 44
	nop.i	0
// Branch taken probability 0.99
	br.ctop.sptk	.b1_2 ;;			//0: {6:3} 47
 }
// Block 3: Pred: 2 0     Succ: 4  -S
// Freq 1.0e+00
.b1_3: 
scale.part$0:
 {   .mmi
	add	r8=@ltoff(total#),gp//0: {9:1} 60
	nop.m	0
// Block 4: exit  Pred: 3  Succ:  -S
// Freq 1.0e+00
	mov	ar.lc=r37 ;;				//0: {9:1} 61
 }
 {   .mfb
	nop.m	0
	nop.f	0
	br.ret.sptk.many	b0 ;;			//1: {9:1} 62
 }
// -- End  scale
	.endp  scale#
// mark_end;
	.section	.data, "wa", "progbits"
	.align	8
total:
	data8	0, 17
	string	"not { an } instruction; ;; // at all"
