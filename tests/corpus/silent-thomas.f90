! The forward sweep of a tridiagonal system: each row needs the one before, with its division.
! build: gfortran -O2
! build x86-64: gfortran -O2 -mfma
! silent: *
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 500
  real(c_double) :: a(n), b(n), c(n), d(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(a, b, c, d, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: a(n), b(n)
    real(c_double), intent(inout) :: c(n), d(n)
    real(c_double) :: m
    integer :: i
    do i = 2, n
       m = 1 / (b(i) - a(i) * c(i - 1))
       c(i) = c(i) * m
       d(i) = (d(i) - a(i) * d(i - 1)) * m
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
  end subroutine set_up

  subroutine run() bind(c)
    a = 1
    b = 4
    c = 1
    d = 2
    call call_kernel(a, b, c, d, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(d)
  end function result_
end module kernels
