! The array is a pointer component of a derived type: its descriptor is read in the loop.
! build: gfortran -O2
! says: fortran-pointer|not-vectorised|double-indirection potential contiguous
! remedy: fortran-pointer contiguous -DREMEDY -O3
! measured: fortran-pointer contiguous golden-cove 3.35
! measured: fortran-pointer contiguous neoverse-v1 2.20
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
  type field
#ifdef REMEDY
     real(c_double), allocatable :: values(:)
#else
     real(c_double), pointer :: values(:)
#endif
  end type field
  type(field) :: a, b
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(a, b)
    type(field), intent(inout) :: a
    type(field), intent(in) :: b
    integer :: i
    do i = 1, size(b%values)
       a%values(i) = a%values(i) * 0.5d0 + b%values(i)
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    allocate (a%values(n), b%values(n))
    b%values = [(mod(i, 7) * 0.25d0, i = 1, n)]
    a%values = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(a, b)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(a%values)
  end function result_
end module kernels
