! Compiled without -O.
! build: gfortran
! says: flag-optimisation potential optimise
! remedy: flag-optimisation optimise -O3
! measured: flag-optimisation optimise golden-cove 6.85
! measured: flag-optimisation optimise neoverse-v1 13.04
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double) :: x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(inout) :: y(n)
    integer :: i
    do i = 1, n
       y(i) = y(i) * 0.5d0 + x(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
    y = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(y, x, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
