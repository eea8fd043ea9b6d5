! A row of a matrix is passed to a procedure that wants contiguous data; a function of the library copies it.
! build: gfortran -O2 -fno-inline-arg-packing
! says: calls hint no-temporary
! remedy: calls no-temporary -DREMEDY
! measured: calls no-temporary neoverse-v1 3.58
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: rows = 40, columns = 20
  real(c_double) :: a(rows, columns), sums(rows)
  procedure(kernel), pointer :: call_kernel => kernel
  procedure(norm), pointer :: call_norm => norm
contains
  subroutine kernel(a, sums)
    real(c_double), intent(in) :: a(:, :)
    real(c_double), intent(inout) :: sums(:)
    integer :: i
    do i = 1, size(a, 1)
       sums(i) = call_norm(a(i, :), size(a, 2))
    end do
  end subroutine kernel

#ifdef REMEDY
  real(c_double) function norm(x, n)
    real(c_double), intent(in) :: x(:)
#else
  real(c_double) function norm(x, n)
    real(c_double), intent(in) :: x(n)
#endif
    integer, intent(in) :: n
    integer :: i
    norm = 0
    do i = 1, n
       norm = norm + abs(x(i))
    end do
  end function norm

  subroutine set_up() bind(c)
    integer :: i, j
    do j = 1, columns
       do i = 1, rows
          a(i, j) = mod(i * 3 + j, 7)
       end do
    end do
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(a, sums)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(sums)
  end function result_
end module kernels
