! Arrays behind pointers may have any stride, and may overlap.
! build: gfortran -O3
! says: fortran-pointer|not-vectorised potential contiguous
! remedy: fortran-pointer contiguous -DREMEDY
! measured: fortran-pointer contiguous golden-cove 2.88
! measured: fortran-pointer contiguous neoverse-v1 1.98
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_double), target :: x(n), y(n)
#ifdef REMEDY
  real(c_double), pointer, contiguous :: px(:), py(:)
#else
  real(c_double), pointer :: px(:), py(:)
#endif
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x)
#ifdef REMEDY
    real(c_double), contiguous, intent(inout) :: y(:)
    real(c_double), contiguous, intent(in) :: x(:)
#else
    real(c_double), pointer, intent(in) :: y(:), x(:)
#endif
    integer :: i
    do i = 1, size(x)
       y(i) = y(i) * 0.5d0 + x(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25d0, i = 1, n)]
    y = 1
    px => x
    py => y
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(py, px)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
