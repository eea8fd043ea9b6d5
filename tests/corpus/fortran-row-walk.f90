! Fortran stores columns side by side; the inner loop walks along a row.
! build: gfortran -O2
! says: not-vectorised|loop-order potential exchange
! remedy: loop-order exchange -DREMEDY -O3
! measured: loop-order exchange golden-cove 1.80
! measured: loop-order exchange neoverse-v1 3.25
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: m = 32
  real(c_double) :: a(m, m), b(m, m)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(a, b, rows, columns)
    integer, intent(in) :: rows, columns
    real(c_double), intent(in) :: b(m, m)
    real(c_double), intent(inout) :: a(m, m)
    integer :: i, j
#ifdef REMEDY
    do j = 1, columns
       do i = 1, rows
#else
    do i = 1, rows
       do j = 1, columns
#endif
          a(i, j) = a(i, j) * 0.5d0 + b(i, j)
       end do
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    b = reshape([(mod(i, 7) * 0.25d0, i = 1, m * m)], [m, m])
    a = 1
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(a, b, m, m)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(a)
  end function result_
end module kernels
