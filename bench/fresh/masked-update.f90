! WHERE: roots of positive numbers, zero elsewhere.
! build: gfortran -O2
! cure: branch-free -DCURE=1
! best: -O3 -ffast-math
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 20000
  real(c_double) :: x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: y(n)
#if CURE == 1
    integer :: i
    do i = 1, n
       y(i) = merge(x(i) * 0.5d0 + 1, 0.0d0, x(i) > 0)
    end do
#else
    where (x > 0)
       y = x * 0.5d0 + 1
    elsewhere
       y = 0
    end where
#endif
  end subroutine kernel
  subroutine set_up() bind(c)
    integer :: i, k
    k = 12345
    do i = 1, n
       k = mod(k * 1103 + 12345, 32768)
       x(i) = k - 16384
    end do
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(y, x, n)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
