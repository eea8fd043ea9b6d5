! A polynomial by powers: x ** k for each coefficient.
! build: gfortran -O2
! cure: cheaper -DCURE=1
! cure: other -DCURE=1
! cure: hoist -DCURE=1
! best: -DCURE=1
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 200, degree = 12
  real(c_double) :: c(0:degree), x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x, c, n, degree)
    integer, intent(in) :: n, degree
    real(c_double), intent(in) :: x(n), c(0:degree)
    real(c_double), intent(out) :: y(n)
    integer :: i, k
    do i = 1, n
       y(i) = 0
#if CURE == 1
       do k = degree, 0, -1
          y(i) = y(i) * x(i) + c(k)
       end do
#else
       do k = 0, degree
          y(i) = y(i) + c(k) * x(i) ** k
       end do
#endif
    end do
  end subroutine kernel
  subroutine set_up() bind(c)
    integer :: i
    do i = 1, n
       x(i) = mod(i * 7, 13) * 0.1d0
    end do
    do i = 0, degree
       c(i) = 0.5d0 ** i
    end do
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(y, x, c, n, degree)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
