
// ---- What nodes call ----

	.global assay_probe_begin#
	.proc assay_probe_begin#
assay_probe_begin:
	alloc r64=ar.pfs,32,36,6,0
	mov r65=0
	br.cond.sptk keep ;;
	.endp assay_probe_begin#

	.global assay_probe_full#
	.proc assay_probe_full#
assay_probe_full:
	alloc r64=ar.pfs,32,36,6,0
	mov r65=1 ;;
keep:
	mov r66=pr
	mov r67=b6
	mov r68=b0
	mov r69=r2
	mov r70=r3
	mov r71=r8
	mov r72=r9
	mov r73=r10
	mov r74=r11
	mov r75=r14
	mov r76=r15
	mov r77=r16
	mov r78=r17
	mov r79=r18
	mov r80=r19
	mov r81=r20
	mov r82=r21
	mov r83=r22
	mov r84=r23
	mov r85=r24
	mov r86=r25
	mov r87=r26
	mov r88=r27
	mov r89=r28
	mov r90=r29
	mov r91=r30
	mov r92=r31
	mov r93=ar.unat
	mov r94=ar.ccv
	adds r12=-208,r12 ;;
	adds r14=48,r12
	adds r15=64,r12 ;;
	stf.spill [r14]=f6,32
	stf.spill [r15]=f7,32 ;;
	stf.spill [r14]=f8,32
	stf.spill [r15]=f9,32 ;;
	stf.spill [r14]=f10,32
	stf.spill [r15]=f11,32 ;;
	stf.spill [r14]=f12,32
	stf.spill [r15]=f13,32 ;;
	stf.spill [r14]=f14
	stf.spill [r15]=f15 ;;
	// The state, by way of ip.
{	.mii
	cmp.eq p6,p7=0,r65
	mov r14=ip
	nop.i 0
}
{	.mlx
	nop.m 0
	movl r15=@pcrel(state+16) ;;
}
	add r100=r14,r15
	mov r101=1 ;;
  (p6)	br.call.dptk.many b0=start
  (p7)	br.call.dptk.many b0=full ;;
	adds r14=48,r12
	adds r15=64,r12 ;;
	ldf.fill f6=[r14],32
	ldf.fill f7=[r15],32 ;;
	ldf.fill f8=[r14],32
	ldf.fill f9=[r15],32 ;;
	ldf.fill f10=[r14],32
	ldf.fill f11=[r15],32 ;;
	ldf.fill f12=[r14],32
	ldf.fill f13=[r15],32 ;;
	ldf.fill f14=[r14]
	ldf.fill f15=[r15] ;;
	adds r12=208,r12
	mov r2=r69
	mov r3=r70
	mov r8=r71
	mov r9=r72
	mov r10=r73
	mov r11=r74
	mov r14=r75
	mov r15=r76
	mov r16=r77
	mov r17=r78
	mov r18=r79
	mov r19=r80
	mov r20=r81
	mov r21=r82
	mov r22=r83
	mov r23=r84
	mov r24=r85
	mov r25=r86
	mov r26=r87
	mov r27=r88
	mov r28=r89
	mov r29=r90
	mov r30=r91
	mov r31=r92
	mov ar.unat=r93
	mov ar.ccv=r94
	mov b0=r68
	mov b6=r67 ;;
	mov ar.pfs=r64
	mov pr=r66,-1 ;;
	br.ret.sptk.many b6 ;;
	.endp assay_probe_full#
