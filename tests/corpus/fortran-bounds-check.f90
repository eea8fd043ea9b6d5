! Array bounds are checked in every iteration.
! build: gfortran -O2 -fcheck=bounds
! says: flag-harmful|not-vectorised potential drop-option
! remedy: flag-harmful drop-option gfortran -O2
! measured: flag-harmful drop-option golden-cove 1.48
! measured: flag-harmful drop-option neoverse-v1 1.55
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double) :: x(n), y(n)
  integer :: places(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x, places)
    real(c_double), intent(in) :: x(:)
    real(c_double), intent(inout) :: y(:)
    integer, intent(in) :: places(:)
    integer :: i
    do i = 1, size(places)
       y(i) = y(i) * 0.5d0 + x(places(i))
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
    places = [(mod(i * 37, n) + 1, i = 1, n)]
    y = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(y, x, places)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
