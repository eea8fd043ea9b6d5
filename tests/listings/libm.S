.file "half.s"
// In the style of a mathematical library: register aliases by assignment, tables as objects, long instructions.
RODATA
.align 16
GR_table    = r14
GR_bits     = r15
FR_table    = f6
FR_norm     = f7
FR_half     = f9
FR_r        = f10

LOCAL_OBJECT_START(half_table)
data8 0x3FE0000000000000 , 0x3FD0000000000000
data4 0x3F000000,0x3E800000
LOCAL_OBJECT_END(half_table)

.section .text
GLOBAL_IEEE754_ENTRY(half)
{ .mlx
      addl             GR_table  = @ltoff(half_table), gp
      movl             GR_bits   = 0x3fe0000000000000 // one half
}
;;
{     .mfi
      ld8              GR_table  = [GR_table]
      fclass.m         p8,p0 = f8,@nat|@qnan|@snan   // a number?
      nop.i            0
}
{ .mfi
      setf.d           FR_half   = GR_bits
      fnorm.s1         FR_norm   = f8
      nop.i            0 ;;
}
.pred.rel "mutex",p6,p7
{ .mfi
      ldfd             FR_table  = [GR_table],8
      fcmp.ge.s1       p7,p6     = FR_norm, f0
      add              GR_bits   = 0,r0
};;
{ .mfb
      nop.m            0
(p8)  fma.d.s0         f8 = f8,f1,f0
(p8)  br.ret.spnt      b0
}
;;
{ .mfi
      nop.m            0
(p6)  fma.d.s0         f8 = FR_norm,FR_half,f0
      nop.i            0 }
{ .mfb
      nop.m            0
(p7)  fma.d.s0         f8 = FR_norm,FR_table,f0
      br.ret.sptk      b0 ;;
}
GLOBAL_IEEE754_END(half)
libm_alias_double_other (half, half)
