subroutine scales(n, by, x, extra)
  integer, intent(in) :: n
  real(8), intent(in) :: by
  real(8), intent(inout) :: x(n)
  integer, intent(in), optional :: extra
  integer :: i
  do i = 1, n
    x(i) = x(i) * by
  end do
  if (present(extra)) x(1) = x(1) + extra
end subroutine
