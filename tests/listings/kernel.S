/* In the style of routines of the kernel: accesses that may fault, names of rotating registers, a jump whose place is
   computed from labels, one procedure begun inside another, macros of a header that is not here. */
#include <asm/asmmacro.h>

#define DEPTH		3
#define LAST		stage[DEPTH-1]
#define ROTATING	((2*DEPTH+7)&~7)
#define from		in0
#define count		in1
#define total		r8
#define saved_lc	r14
#define saved_pfs	r15
#define saved_pr	r16

GLOBAL_ENTRY(sum_words)
	.regstk 2,0,0,0
	cmp.eq	p6,p0=0,in1
	;;
ENTRY(sum_words_user)
	.prologue
	.save ar.pfs, saved_pfs
	alloc	saved_pfs=ar.pfs,2,ROTATING-2,0,ROTATING
	.rotr	word[DEPTH], copy[DEPTH]
	.rotp	stage[DEPTH]
	.save ar.lc, saved_lc
	mov	saved_lc=ar.lc
	.save pr, saved_pr
	mov	saved_pr=pr
	.body
	mov	total=0
(p6)	br.cond.spnt .out
	;;
	mov	ar.ec=DEPTH
	mov	pr.rot=1<<16
	and	r17=3,from
	mov	r20=IA64_KR(CURRENT)
	;;
1:	mov	r18=ip
	shl	r17=r17,5
	;;
	adds	r18=.loops-1b,r18
	;;
	add	r18=r18,r17
	;;
	mov	b6=r18
	br.cond.sptk.few b6
	TEXT_ALIGN(32)
.loops:
#define LOOP(size)					\
2:	EX(.fault, (stage[0]) ld##size word[0]=[from],size);	\
	(LAST) add total=total,word[DEPTH-1];		\
	br.ctop.sptk.few 2b ;;				\
	br.cond.sptk.many .out ;;
	LOOP(1)
	LOOP(2)
	LOOP(4)
	LOOP(8)
.out:
	mov	ar.lc=saved_lc
	mov	pr=saved_pr,-1
	br.ret.sptk.many rp
END(sum_words)

.fault:
	mov	total=-14
	FSYS_RETURN
END(sum_words_user)
EXPORT_SYMBOL(sum_words)
