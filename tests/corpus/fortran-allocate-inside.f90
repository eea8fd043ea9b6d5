! An automatic array on the heap for each element of the loop.
! build: gfortran -O2
! says: calls potential allocate-once
! remedy: calls allocate-once -DREMEDY
! measured: calls allocate-once golden-cove 11.24
! measured: calls allocate-once neoverse-v1 25.08
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 250
  real(c_double) :: x(4, n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(x, n, width)
    integer, intent(in) :: n, width
    real(c_double), intent(inout) :: x(width, n)
    real(c_double), allocatable :: copy(:)
    integer :: i, k
#ifdef REMEDY
    allocate (copy(width))
#endif
    do i = 1, n
#ifndef REMEDY
       allocate (copy(width))
#endif
       copy(1) = x(4, i)
       copy(2) = x(3, i)
       copy(3) = x(2, i)
       copy(4) = x(1, i)
       x(1, i) = copy(1)
       x(2, i) = copy(2)
       x(3, i) = copy(3)
       x(4, i) = copy(4)
#ifndef REMEDY
       deallocate (copy)
#endif
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = reshape([(mod(i, 7) * 0.25d0, i = 1, 4 * n)], [4, n])
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(x, n, 4)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(x(1, :)) + 2 * sum(x(2, :)) + 3 * sum(x(3, :))
  end function result_
end module kernels
