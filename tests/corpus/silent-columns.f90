! Columns of a matrix without gaps are passed as they are; and a loop that copies a row is what the program wants.
! build: gfortran -O2 -fno-inline
! silent: array-temporary fortran-pointer
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 30
  real(c_double) :: x(n, n), row(n)
  procedure(kernel), pointer :: call_kernel => kernel
  procedure(kernel_row), pointer :: call_row => kernel_row
contains
  subroutine ends(v, n)
    integer, intent(in) :: n
    real(c_double), intent(inout) :: v(n)
    v(1) = v(1) * 0.5d0 + 1
    v(n) = v(n) * 0.5d0 + v(1)
  end subroutine ends

  subroutine kernel(x, n)
    integer, intent(in) :: n
    real(c_double), contiguous, intent(inout) :: x(:, :)
    integer :: i
    do i = 1, n
       call ends(x(1:n, i), n)
    end do
  end subroutine kernel

  subroutine kernel_row(x, row, n)
    integer, intent(in) :: n
    real(c_double), intent(in) :: x(n, n)
    real(c_double), intent(inout) :: row(n)
    integer :: i, k
    do k = 1, n
       do i = 1, n
          row(i) = x(k, i)
       end do
       call ends(row, n)
    end do
  end subroutine kernel_row

  subroutine set_up() bind(c)
    x = 3
    row = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(x, n)
    call call_row(x, row, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(x) + sum(row)
  end function result_
end module kernels
