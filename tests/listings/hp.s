	.radix	C
	.psr	abi64
	.psr	msb
	.section .text = "ax", "progbits"
	.proc	adder
..L0:
adder::
	.prologue
	.regstk	2, 0, 0, 0
	.body
	{ .mmi
	ldfd	f8 = [in0], 8	// M [adder.f: 12/7]
	ldfd	f9 = [in1], 8	// M [adder.f: 12/14]
	nop.i	0 ;;	// I
	}
	{ .mfb
	nop.m	0
	fadd.d	f8 = f8, f9	// F [adder.f: 13/9]
	br.ret.dptk.few rp ;;	// B [adder.f: 14/1]
	}
..L1:
	.endp	adder
	.section .rodata = "a", "progbits"
	.align	16
	data8.ua 1
