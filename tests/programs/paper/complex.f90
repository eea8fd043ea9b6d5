! Figure 16: quotients of complex numbers.
subroutine quotient(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  complex(8), intent(out) :: a(1:n)
  complex(8), intent(in) :: b(1:n)
  complex(8), intent(in) :: c(1:n)
  integer :: i
  do i = 1, n
     a(i) = b(i) / c(i)
  end do
end subroutine quotient
