! Arrays behind pointers in a derived type, selected by an index: strides are read and multiplied for each element.
! build: gfortran -O2
! says: fortran-pointer potential contiguous
! says x86-64: scalar-integer potential
! remedy: fortran-pointer contiguous -DREMEDY
! measured: fortran-pointer contiguous neoverse-v1 2.18
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
#ifdef REMEDY
#define KIND_OF allocatable
#else
#define KIND_OF pointer
#endif
  type grid
     real(c_double), KIND_OF :: x(:), y(:), z(:)
  end type grid
  type field
     type(grid), KIND_OF :: inner
  end type field
  type(field) :: g
  integer :: order(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(g, order, n)
    type(field), intent(inout) :: g
    integer, intent(in) :: n, order(n)
    integer :: i
    do i = 1, n
       g%inner%z(order(i)) = g%inner%x(order(i)) * 0.5d0 + g%inner%y(order(i))
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    allocate (g%inner)
    allocate (g%inner%x(n), g%inner%y(n), g%inner%z(n))
    g%inner%x = [(mod(i, 7) * 0.25d0, i = 1, n)]
    g%inner%y = [(mod(i, 5) * 0.25d0, i = 1, n)]
    order = [(mod(i * 7, n) + 1, i = 1, n)]
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(g, order, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(g%inner%z)
  end function result_
end module kernels
