/* In the style of a BLAS kernel: names for everything, mnemonics too. */
#define ASSEMBLER
#include "common.h"

#define N	r32
#define X	r33
#define Y	r34
#define ARLC	r31
#define PRED	r30
#define ALPHA	f8
#define SIZE	8
#define AHEAD	((2 * 16) * SIZE)

	PROLOGUE
	.prologue
	PROFCODE
	{ .mmi
	adds	r14 = AHEAD + 8, X
	cmp.lt	p0, p6 = r0, N
	.save	ar.lc, ARLC
	mov	ARLC = ar.lc
	}
	{ .mib
	adds	r15 = -1, N
	mov	PRED = pr
	(p6) br.ret.spnt.many b0
	}
	;;
	.body
	mov	pr.rot = 1 << 16
	mov	ar.lc = r15
	mov	ar.ec = 3
	;;
	.align 32
.L110:
	{ .mmf
	(p16) LDFPD	f32, f35 = [X], 2 * SIZE
	(p18) STFD	[Y] = f6, SIZE
	(p17) FMA	f6 = ALPHA, f33, f36
	}
	{ .mib
	(p16) lfetch.nt1 [r14], 16 * SIZE
	nop	__LINE__
	br.ctop.sptk.few .L110
	}
	;;
	{ .mii
	mov	r8 = r0
	mov	pr = PRED, -65474
	mov	ar.lc = ARLC
	}
	{ .mib
	nop	__LINE__
	nop	__LINE__
	br.ret.sptk.many b0
	}
	EPILOGUE
