! The sum of an array: with strict floating-point rules each addition waits for the one before.
! build: gfortran -O3
! says: not-vectorised|reduction potential associative-math
! remedy: not-vectorised associative-math -ffast-math
! measured: not-vectorised associative-math golden-cove 2.21
! measured: not-vectorised associative-math neoverse-v1 2.06
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double) :: x(n), total
  procedure(kernel), pointer :: call_kernel => kernel
contains
  real(c_double) function kernel(x) result(s)
    real(c_double), intent(in) :: x(:)
    integer :: i
    s = 0
    do i = 1, size(x)
       s = s + x(i)
    end do
  end function kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    total = call_kernel(x)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = total
  end function result_
end module kernels
