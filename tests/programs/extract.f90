! Procedures to take out of their file: tests/commands/change/extract.py does it.
module physics
  implicit none
  private
  integer, parameter :: wp = kind(1d0)
  real(wp) :: gravity = 9.81_wp
  public :: fall, other
contains
  pure real(wp) function square(x)
    real(wp), intent(in) :: x
    square = x * x
  end function square

  subroutine fall(v, n)
    integer, intent(in) :: n
    real(wp), intent(inout) :: v(n)
    integer :: i
    do i = 1, n
       v(i) = square(v(i)) + gravity
    end do
  end subroutine fall

  subroutine other(v)
    real(wp), intent(inout) :: v(:)
    v = v * 2
  end subroutine other
end module physics

subroutine outside(a, n, m)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(n, m)
  integer :: i, j
  outer: do j = 1, m
     do 10 i = 1, n
        a(i, j) = helper(a(i, j)) &
                  + 1
10      continue
  end do outer
contains
  real function helper(x)
    real, intent(in) :: x
    helper = x * 3
  end function helper
end subroutine outside

program main
  use physics
  integer :: i
  do i = 1, 3
     print *, i
  end do
end program main
