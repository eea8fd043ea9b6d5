! minval of an array in two dimensions.
! build: gfortran -O2
! best: -O3 -ffast-math
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 40
  real(c_double) :: a(n, n), least
  procedure(kernel), pointer :: call_kernel => kernel
contains
  real(c_double) function kernel(a) result(least)
    real(c_double), intent(in) :: a(:, :)
    least = minval(a)
  end function kernel
  subroutine set_up() bind(c)
    integer :: i, j
    a = reshape([((mod(i * 7 + j * 3, 131) * 0.1d0, i = 1, n), j = 1, n)], [n, n])
  end subroutine set_up
  subroutine run() bind(c)
    least = call_kernel(a)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = least
  end function result_
end module kernels
