! An array that is a pointer component of a derived type: the compiler does not know that its elements are side by side.
! build: gfortran -O2
! says: fortran-pointer potential contiguous
! remedy: fortran-pointer contiguous -DREMEDY -O3
! measured: fortran-pointer contiguous golden-cove 2.90
! measured: fortran-pointer contiguous neoverse-v1 1.96
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  type grid
#ifdef REMEDY
     real(c_double), allocatable :: p(:)
#else
     real(c_double), pointer :: p(:)
#endif
  end type grid
  type(grid) :: g
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(g, n, s)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    real(c_double), intent(in) :: s
    integer :: i
    do i = 1, n
       g%p(i) = g%p(i) * s + 1
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    allocate (g%p(n))
    g%p = [(mod(i, 7) * 0.25d0, i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(g, n, 0.5d0)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(g%p)
  end function result_
end module kernels
