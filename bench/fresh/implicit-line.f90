! A line of an implicit scheme: forward elimination, which waits for each division.
! build: gfortran -O2
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 500
  real(c_double) :: a(n), b(n), c(n), d(n), e(n), f(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(e, f, a, b, c, d, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: a(n), b(n), c(n), d(n)
    real(c_double), intent(out) :: e(n), f(n)
    integer :: i
    real(c_double) :: w
    e(1) = c(1) / b(1)
    f(1) = d(1) / b(1)
    do i = 2, n
       w = b(i) - a(i) * e(i - 1)
       e(i) = c(i) / w
       f(i) = (d(i) - a(i) * f(i - 1)) / w
    end do
  end subroutine kernel
  subroutine set_up() bind(c)
    a = 1
    b = 4
    c = 1.25d0
    d = 2
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(e, f, a, b, c, d, n)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(e) + 2 * sum(f)
  end function result_
end module kernels
