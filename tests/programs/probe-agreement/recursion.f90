! Calls of Fortran procedures: recursive, with arrays, contained in others.
module work
  implicit none
contains
  recursive integer function ackermann(m, n) result(answer)
    integer, intent(in) :: m, n
    if (m == 0) then
      answer = n + 1
    else if (n == 0) then
      answer = ackermann(m - 1, 1)
    else
      answer = ackermann(m - 1, ackermann(m, n - 1))
    end if
  end function
  subroutine smooth(a, b)
    real(8), intent(in) :: a(:)
    real(8), intent(out) :: b(:)
    integer :: i
    do i = 1, size(a)
      b(i) = weigh(i)
    end do
  contains
    real(8) function weigh(i)
      integer, intent(in) :: i
      weigh = a(i) * 0.5d0
      if (i > 1) weigh = weigh + a(i - 1) * 0.25d0
      if (i < size(a)) weigh = weigh + a(i + 1) * 0.25d0
    end function
  end subroutine
end module
program recursion
  use work
  implicit none
  real(8) :: a(200), b(200)
  integer :: i
  a = [(mod(i * 37, 101) * 1d0, i = 1, 200)]
  do i = 1, 30
    call smooth(a, b)
    a = b
  end do
  print '(i0, 1x, f12.6)', ackermann(2, 60), sum(a)
end program
