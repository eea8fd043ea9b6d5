! A power with the exponent 3/2: a square root and a multiplication do.
! build: gfortran -O2
! says: calls potential cheaper
! remedy: calls cheaper -DREMEDY
! measured: calls cheaper golden-cove 6.11
! measured: calls cheaper neoverse-v1 11.22
! remedy: calls fast-math -ffast-math
! measured: calls fast-math golden-cove 8.50
! measured: calls fast-math neoverse-v1 11.22
! libraries: -lm
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
#ifdef REMEDY
       y(i) = x(i) * sqrt(x(i))
#else
       y(i) = x(i) ** 1.5d0
#endif
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(y, x, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
