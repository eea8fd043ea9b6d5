! A scalar product at -O2 in strict order.
! build: gfortran -O2
! says: not-vectorised|reduction potential associative-math
! remedy: not-vectorised associative-math -O3 -ffast-math
! measured: not-vectorised associative-math golden-cove 4.45
! measured: not-vectorised associative-math neoverse-v1 4.38
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_float) :: x(n), y(n), total
  procedure(kernel), pointer :: call_kernel => kernel
contains
  real(c_float) function kernel(x, y, n) result(s)
    integer, intent(in) :: n
    real(c_float), intent(in) :: x(n), y(n)
    integer :: i
    s = 0
    do i = 1, n
       s = s + x(i) * y(i)
    end do
  end function kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25, i = 1, n)]
    y = [(mod(i, 5) * 0.5, i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    total = call_kernel(x, y, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = total
  end function result_
end module kernels
