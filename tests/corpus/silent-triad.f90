! The triad of STREAM, vectorised.
! build: gfortran -O3
! build x86-64: gfortran -O3 -march=sapphirerapids -mprefer-vector-width=512
! silent: *
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double) :: x(n), y(n), z(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(z, y, x, a, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(n), y(n), a
    real(c_double), intent(inout) :: z(n)
    integer :: i
    do i = 1, n
       z(i) = y(i) + a * x(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
    y = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(z, y, x, 3.0d0, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(z)
  end function result_
end module kernels
