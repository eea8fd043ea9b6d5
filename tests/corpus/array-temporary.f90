! Rows of a matrix are passed to a routine that wants its elements side by side: each row is copied, and copied back.
! build: gfortran -O2 -fno-inline
! says: array-temporary potential no-temporary
! remedy: array-temporary no-temporary -DREMEDY
! measured: array-temporary no-temporary golden-cove 25.94
! measured: array-temporary no-temporary neoverse-v1 33.38
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 30
  real(c_double) :: x(n, n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine ends(v, n)
    integer, intent(in) :: n
    real(c_double), intent(inout) :: v(n)
    v(1) = v(1) * 0.5d0 + 1
    v(n) = v(n) * 0.5d0 + v(1)
  end subroutine ends

#ifdef REMEDY
  subroutine kernel(x, n)
    integer, intent(in) :: n
    real(c_double), contiguous, intent(inout) :: x(:, :)
    integer :: i
    do i = 1, n
       call ends(x(1:n, i), n)
    end do
  end subroutine kernel
#else
  subroutine kernel(x, n)
    integer, intent(in) :: n
    real(c_double), intent(inout) :: x(:, :)
    integer :: i
    do i = 1, n
       call ends(x(i, 1:n), n)
    end do
  end subroutine kernel
#endif

  subroutine set_up() bind(c)
    x = 3
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(x, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(x)
  end function result_
end module kernels
