
// ---- The program's subjects ----

// The notes of the program's objects.  in0: the state.
	.proc find_objects#
find_objects:
	alloc loc0=ar.pfs,1,9,3,0
	mov loc1=b0
	adds r14=PROGRAM,in0 ;;
	ld8 r14=[r14] ;;
	cmp.eq p6,p0=0,r14
	adds r15=32,r14
	adds r16=54,r14 ;;
  (p6)	br.cond.spnt .Lobjects_end
	ld8 r15=[r15]			// program headers
	ld2 loc3=[r16],2 ;;		// their size and number
	ld2 loc4=[r16]
	add loc2=r14,r15
	mov loc5=0 ;;			// what is added to addresses of the file
	mov r15=loc2
	mov r16=loc4 ;;
.Lfirst_load:
	cmp.eq p6,p0=0,r16
	adds r17=8,r15
	adds r18=16,r15 ;;
  (p6)	br.cond.spnt .Lnext_header
	ld4 r19=[r15]
	ld8 r17=[r17]
	ld8 r18=[r18] ;;
	cmp.eq p6,p7=1,r19		// PT_LOAD
	add r15=r15,loc3
	adds r16=-1,r16 ;;
  (p6)	cmp.eq p6,p7=0,r17 ;;
  (p7)	br.cond.dptk .Lfirst_load
	sub loc5=r14,r18 ;;
.Lnext_header:
	cmp.eq p6,p0=0,loc4
	adds r16=16,loc2
	adds r17=32,loc2 ;;
  (p6)	br.cond.spnt .Lobjects_end
	ld4 r18=[loc2]
	ld8 r16=[r16]
	ld8 r17=[r17]
	adds loc4=-1,loc4
	add loc2=loc2,loc3 ;;
	cmp.ne p6,p0=4,r18		// PT_NOTE
	add loc6=loc5,r16 ;;
	add loc7=loc6,r17
  (p6)	br.cond.dptk .Lnext_header ;;
.Lnext_note:
	adds r14=12,loc6
	adds r15=4,loc6
	adds r16=8,loc6 ;;
	cmp.gtu p6,p0=r14,loc7 ;;
  (p6)	br.cond.dpnt .Lnext_header
	ld4 r17=[loc6]			// bytes of the name
	ld4 r15=[r15]			// and of what follows
	ld4 r16=[r16] ;;		// type
	adds r18=3,r17
	adds r19=3,r15
	adds r20=4,r14 ;;
	and r18=-4,r18
	and r19=-4,r19 ;;
	add loc8=r14,r18 ;;		// the note itself
	add loc6=loc8,r19
	cmp.eq p6,p7=1,r16 ;;
	cmp.gtu p8,p0=loc6,loc7
  (p6)	cmp.eq p6,p7=6,r17 ;;
  (p8)	br.cond.spnt .Lnext_header
  (p6)	cmp.eq p6,p7=8,r15 ;;
  (p7)	br.cond.dptk .Lnext_note
	ld4 r14=[r14]
	ld2 r20=[r20]
	movl r16=0x61737341 ;;		// Assa
	cmp.eq p6,p7=r14,r16
	adds r15=4,loc8 ;;
  (p6)	cmp.eq p6,p7=121,r20		// y
	ld4 r14=[loc8]
	ld4 r15=[r15] ;;
	sxt4 r14=r14
	sxt4 r15=r15
  (p7)	br.cond.dptk .Lnext_note ;;
	mov out0=in0
	add out1=loc8,r14
	add out2=loc8,r15
	br.call.sptk.many b0=take ;;
	br.cond.sptk .Lnext_note ;;
.Lobjects_end:
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp find_objects#

// The recording gets a copy of an object's table, and the object the number of its first subject.  in0: state, in1: struct
// probe_node_table, in2: the object's base.
	.proc take#
take:
	alloc loc0=ar.pfs,3,3,3,0
	mov loc1=b0
	adds r14=8,in1
	movl r16=0x300000001 ;;		// version, PROBE_ISA_IA64
	ld8 r15=[in1]
	ld8 r14=[r14]
	movl r17=CHUNK+1056
	movl r18=CHUNK-1 ;;
	cmp.ne p6,p0=r14,r16
	add r15=r15,r17
	mov out0=in0
	mov out2=0 ;;
	andcm out1=r15,r18
  (p6)	br.cond.spnt .Ltake_ends
	br.call.sptk.many b0=segment ;;
	cmp.eq p6,p0=0,r8
	mov loc2=r8
	adds r14=SUBJECTS,in0
	adds r15=16,in1 ;;
  (p6)	br.cond.spnt .Ltake_ends
	ld8 r14=[r14]
	ld4 r15=[r15]
	ld8 r16=[in1]
	adds r17=16,r8
	adds r18=20,r8
	adds r19=24,r8 ;;
	st4 [r17]=r14
	st4 [r18]=r15
	adds r20=32,r16
	adds r8=32,r8
	mov r9=in1 ;;
	st8 [r19]=r20
	br.call.sptk.many b0=put_words ;;
	adds r9=MODULE,in0
	br.call.sptk.many b0=put_text ;;
	adds r14=SUBJECTS,in0
	adds r15=16,in1
	mov r16=SEGMENT_SUBJECTS ;;
	ld8 r17=[r14]
	ld4 r15=[r15]
	st4.rel [loc2]=r16 ;;
	shl r18=r17,4
	add r17=r17,r15 ;;
	st8 [r14]=r17
	st4.rel [in2]=r18 ;;
.Ltake_ends:
	mov b0=loc1
	mov ar.pfs=loc0 ;;
	br.ret.sptk.many b0 ;;
	.endp take#
