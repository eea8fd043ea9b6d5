! A matrix times a vector, row by row, so that it is walked across its columns.
! build: gfortran -O2
! cure: exchange -DCURE=1
! cure: partial-sums -O2
! best: -DCURE=1 -O3
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 300
  real(c_double) :: a(n, n), x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, a, x, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: a(n, n), x(n)
    real(c_double), intent(out) :: y(n)
    integer :: i, j
#if CURE == 1
    y = 0
    do j = 1, n
       do i = 1, n
          y(i) = y(i) + a(i, j) * x(j)
       end do
    end do
#else
    do i = 1, n
       y(i) = 0
       do j = 1, n
          y(i) = y(i) + a(i, j) * x(j)
       end do
    end do
#endif
  end subroutine kernel
  subroutine set_up() bind(c)
    call random_number(a)
    a = 0.5d0
    x = 0.25d0
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(y, a, x, n)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
