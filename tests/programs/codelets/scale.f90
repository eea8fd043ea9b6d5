subroutine scale(n, a, i1, i2, i3, i4, i5, i6, i7, i8)
  implicit none
  integer :: n, i, i1, i2, i3, i4, i5, i6, i7, i8
  real :: a(n), factor
  common /factors/ factor
  do i = 1, n
    a(i) = a(i) * factor + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8
  end do
end subroutine
