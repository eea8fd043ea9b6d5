! Figure 12, QMC=Chem: four columns of A times two rows of numbers.  With LENGTH the bounds are constant.
#ifdef LENGTH
module fields
  implicit none
  integer, parameter :: lda = LENGTH
  real :: c1(lda), c2(lda), a(lda, 64)
end module fields

subroutine product(k_vec, d1, d2)
  use fields
  implicit none
#else
subroutine product(lda, columns, c1, c2, a, k_vec, d1, d2)
  implicit none
  integer, intent(in) :: lda, columns
  real, intent(inout) :: c1(lda), c2(lda)
  real, intent(in) :: a(lda, columns)
#endif
  integer, intent(in) :: k_vec(4)
  real, intent(in) :: d1(4), d2(4)
  integer :: j
  do j = 1, lda
     c1(j) = c1(j) + (a(j, k_vec(1)) * d1(1) + a(j, k_vec(2)) * d1(2) + a(j, k_vec(3)) * d1(3) + a(j, k_vec(4)) * d1(4))
     c2(j) = c2(j) + (a(j, k_vec(1)) * d2(1) + a(j, k_vec(2)) * d2(2) + a(j, k_vec(3)) * d2(3) + a(j, k_vec(4)) * d2(4))
  end do
end subroutine product
