// The listings of the first paper: a frame that takes all registers, Figure 8 and Figure 9.
	.proc do_neutral#
do_neutral:
alloc r40=ar.pfs,2,87,7,8 // 32 registers always allocated + 96 requested
{ .mii
  st8 [r31]=r67
  add r31=176,sp // r31 is now set to address sp+176
  nop.i 0 ;;
}
{ .mii
  ld8 r8=[r31] // load value at sp+176 in r8
  add r31=176,sp // r31 is re-set to the exact same value sp+176
  nop.i 0 ;;
}
{ .mii
  st8 [r31]=r8 // r8 is stored at the same address (sp+176)
  add r31=184,sp
  nop.i 0 ;;
}

{
    .mmi
    ld4 r8=[r70]
    ld4 r3=[r46]
    add r79=r61,r69
}
{
    .mmi
    add r2=r58,r69
    add r30=r50,r69
    add r29=r53,r69 ;;
}
{
    .mmi
    ld4 r28=[r71]
    ld4 r27=[r47]
    xor r26=r8,r3
}
{
    .mmi
    add r72=r57,r64
    add r45=r98,r69
    add r25=r51,r69 ;;
}
{
    .mmi
    ld4 r24=[r83]
    ld4 r23=[r82]
    xor r22=r28,r27
}
{
    .mii
    add r36=r62,r64
    add r35=r97,r69 ;;
    shl r21=r24,5
}
	br.ret.sptk.many b0
	.endp do_neutral#
