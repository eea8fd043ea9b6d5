
// ---- Leaves: arguments in r8 and r9, r14 to r19 are used ----

// System call r15 with the caller's output registers; r8: its result, or the error below 0.
	.proc kernel#
kernel:
	break.i 0x100000 ;;		// in a slot that hands its number on
	cmp.eq p6,p0=-1,r10 ;;
  (p6)	sub r8=r0,r8
	br.ret.sptk.many b0 ;;
	.endp kernel#

// Copies the text at r9 to r8, which is then at its end.
	.proc put_text#
put_text:
	ld1 r14=[r9],1 ;;
	st1 [r8]=r14
	cmp.eq p6,p7=0,r14 ;;
  (p6)	br.ret.spnt.many b0
  (p7)	adds r8=1,r8
	br.cond.sptk put_text ;;
	.endp put_text#

// The number r9, below 2^32, in decimal; 32 bytes above the stack's scratch area are used.
	.proc put_number#
put_number:
	adds r16=47,r12
	movl r15=0xcccccccd ;;
	st1 [r16]=r0,-1
	setf.sig f7=r15 ;;
.Ldigit:
	setf.sig f6=r9 ;;
	xmpy.l f6=f6,f7 ;;
	getf.sig r14=f6 ;;
	shr.u r14=r14,35 ;;		// r9 / 10
	shladd r15=r14,2,r14 ;;
	add r15=r15,r15 ;;
	sub r15=r9,r15 ;;
	adds r15=48,r15 ;;
	st1 [r16]=r15,-1
	mov r9=r14
	cmp.ne p6,p0=0,r14 ;;
  (p6)	br.cond.dptk .Ldigit ;;
	adds r9=1,r16
	br.cond.sptk put_text ;;
	.endp put_number#

// r8 / r9, with the rest left out.
	.proc divide#
divide:
	mov r14=64
	mov r15=0 ;;
.Lbit:
	shr.u r16=r8,63
	add r8=r8,r8
	add r15=r15,r15 ;;
	or r15=r15,r16
	adds r14=-1,r14 ;;
	cmp.geu p6,p0=r15,r9
	cmp.ne p7,p0=0,r14 ;;
  (p6)	sub r15=r15,r9
  (p6)	or r8=1,r8
  (p7)	br.cond.dptk .Lbit ;;
	br.ret.sptk.many b0 ;;
	.endp divide#

// Copies r16 bytes, a multiple of 8, from r9 to r8.
	.proc put_words#
put_words:
	cmp.eq p6,p7=0,r16 ;;
  (p6)	br.ret.spnt.many b0
  (p7)	ld8 r14=[r9],8 ;;
	st8 [r8]=r14,8
	adds r16=-8,r16
	br.cond.sptk put_words ;;
	.endp put_words#
