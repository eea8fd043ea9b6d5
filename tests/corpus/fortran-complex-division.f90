! Division of complex numbers, which gfortran scales against overflow.
! build: gfortran -O2
! says: complex-division potential complex-range
! remedy: complex-division complex-range -fcx-limited-range
! measured: complex-division complex-range golden-cove 1.76
! measured: complex-division complex-range neoverse-v1 1.73
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 500
  complex(c_double_complex) :: a(n), b(n), c(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(c, a, b, n)
    integer, intent(in) :: n
    complex(c_double_complex), intent(in) :: a(n), b(n)
    complex(c_double_complex), intent(inout) :: c(n)
    integer :: i
    do i = 1, n
       c(i) = a(i) / b(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    a = [(cmplx(mod(i, 7), mod(i, 3), c_double), i = 1, n)]
    b = [(cmplx(mod(i, 5) + 1, mod(i, 4), c_double), i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(c, a, b, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(real(c)) + sum(aimag(c))
  end function result_
end module kernels
