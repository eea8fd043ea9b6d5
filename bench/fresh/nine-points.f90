! Nine points of a grid, on arrays of assumed shape.
! build: gfortran -O2
! best: -O3
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 40
  real(c_double) :: a(n, n), b(n, n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(b, a)
#ifdef CONTIGUOUS
    real(c_double), intent(in), contiguous :: a(:, :)
    real(c_double), intent(inout), contiguous :: b(:, :)
#else
    real(c_double), intent(in) :: a(:, :)
    real(c_double), intent(inout) :: b(:, :)
#endif
    integer :: i, j
    do j = 2, size(a, 2) - 1
       do i = 2, size(a, 1) - 1
          b(i, j) = 0.2d0 * a(i, j) + 0.1d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) &
               + 0.05d0 * (a(i - 1, j - 1) + a(i + 1, j - 1) + a(i - 1, j + 1) + a(i + 1, j + 1))
       end do
    end do
  end subroutine kernel
  subroutine set_up() bind(c)
    integer :: i, j
    a = reshape([((mod(i * 7 + j, 13) * 0.1d0, i = 1, n), j = 1, n)], [n, n])
    b = 0
  end subroutine set_up
  subroutine run() bind(c)
    call call_kernel(b, a)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = sum(b)
  end function result_
end module kernels
