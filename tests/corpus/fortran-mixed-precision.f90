! A double-precision constant in a loop over single precision.
! build: gfortran -O3
! says: conversions potential precision
! remedy: conversions precision -DREMEDY
! measured: conversions precision golden-cove 4.43
! measured: conversions precision neoverse-v1 3.72
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_float) :: x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
#ifdef REMEDY
  integer, parameter :: kind = c_float
#else
  integer, parameter :: kind = c_double
#endif
contains
  subroutine kernel(y, x, n)
    integer, intent(in) :: n
    real(c_float), intent(inout) :: y(n)
    real(c_float), intent(in) :: x(n)
    integer :: i
    do i = 1, n
       y(i) = real(y(i) * 0.3_kind + x(i) * 0.7_kind, c_float)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25, i = 1, n)]
    y = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(y, x, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
