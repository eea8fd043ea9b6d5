! Data of a module, a COMMON block, and more arguments than registers.
module grid
  implicit none
  real(8) :: weight = 0.2d0
  real(8) :: field(60,60)
contains
  subroutine relax(u, n, steps)
    integer, intent(in) :: n, steps
    real(8), intent(inout) :: u(n,n)
    integer :: i, j, k
    do k = 1, steps
      do j = 2, n-1
        do i = 2, n-1
          u(i,j) = weight * (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) + u(i,j))
        end do
      end do
    end do
  end subroutine
end module

program main
  use grid
  implicit none
  integer :: i
  real :: factor, a(100)
  common /factors/ factor
  factor = 1.5
  a = 2.0
  field = 1.0d0
  field(30,30) = 50
  do i = 1, 4
    call relax(field, 60, i)
    call scale(100, a, 1, 2, 3, 4, 5, 6, 7, 8)
  end do
  print *, sum(field), sum(a)
end program
