! Upwind differences: each side of the branch loads an element that the other does not. Without loads under a mask no option
! makes vectors of that; -fno-trapping-math at -O3 made it slower (0.9 of the speed).
! build: gfortran -O2
! silent: flag-fast-math
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double) :: q(n), v(n), r(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(q, v, r, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: q(n), v(n)
    real(c_double), intent(inout) :: r(n)
    integer :: i
    do i = 2, n - 1
       if (v(i) > 0) then
          r(i) = q(i) - v(i) * (q(i) - q(i - 1))
       else
          r(i) = q(i) - v(i) * (q(i + 1) - q(i))
       end if
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    q = [(mod(i, 7) * 0.25d0, i = 1, n)]
    v = [(mod(i * 7919, 13) - 6.5d0, i = 1, n)]
    r = 0
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(q, v, r, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(r)
  end function result_
end module kernels
