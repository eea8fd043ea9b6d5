! The scalar products of the rows of a matrix with a vector, by dot_product of sections.
! build: gfortran -O3
! cure: exchange -DCURE=1
! cure: no-temporary -DCURE=1
! cure: partial-sums -DCURE=2
! best: -DCURE=1
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 200
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
       y = y + a(:, j) * x(j)
    end do
#elif CURE == 2
    real(c_double) :: s(4)
    do i = 1, n
       s = 0
       do j = 1, n, 4
          s(1) = s(1) + a(i, j) * x(j)
          s(2) = s(2) + a(i, j + 1) * x(j + 1)
          s(3) = s(3) + a(i, j + 2) * x(j + 2)
          s(4) = s(4) + a(i, j + 3) * x(j + 3)
       end do
       y(i) = sum(s)
    end do
#else
    do i = 1, n
       y(i) = dot_product(a(i, :), x)
    end do
#endif
  end subroutine kernel
  subroutine set_up() bind(c)
    integer :: i, j
    a = reshape([((mod(i * 7 + j, 13) * 0.1d0, i = 1, n), j = 1, n)], [n, n])
    x = 0.25d0
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(y, a, x, n)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
