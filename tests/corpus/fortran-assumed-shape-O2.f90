! Assumed-shape arrays at -O2: the stride is read from the descriptor, and nothing is vectorised.
! build: gfortran -O2
! says: fortran-pointer|not-vectorised potential
! remedy: fortran-pointer contiguous -DREMEDY -O3
! measured: fortran-pointer contiguous neoverse-v1 3.98
! measured: fortran-pointer contiguous golden-cove 3.77
! says: fortran-pointer potential optimise
! remedy: fortran-pointer optimise -O3
! measured: fortran-pointer optimise neoverse-v1 4.00
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  real(c_float) :: x(n), y(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(y, x)
#ifdef REMEDY
    real(c_float), contiguous, intent(inout) :: y(:)
    real(c_float), contiguous, intent(in) :: x(:)
#else
    real(c_float), intent(inout) :: y(:)
    real(c_float), intent(in) :: x(:)
#endif
    integer :: i
    do i = 1, size(x)
       y(i) = y(i) * 0.5 + x(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    x = [(mod(i, 7) * 0.25, i = 1, n)]
    y = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(y, x)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(y)
  end function result_
end module kernels
