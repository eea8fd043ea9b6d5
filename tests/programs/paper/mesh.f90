! Figures 8 and 9, YALES2: the typical loop as it was, with one indirection less, and with allocatable arrays.
module mesh
  implicit none
  type pairs
     integer, pointer :: val(:)
  end type pairs
  type element
     integer :: size
     type(pairs), pointer :: p1, p2
  end type element
  type pairs_a
     integer, allocatable :: val(:)
  end type pairs_a
  type element_a
     integer :: size
     type(pairs_a), pointer :: p1, p2
  end type element_a
contains
  subroutine original(elts, size_outer, size_inner, a, b, c)
    type(element), pointer :: elts(:)
    integer, intent(in) :: size_outer, size_inner
    real, pointer :: a(:), b(:), c(:)
    type(element), pointer :: elt
    integer :: i, j, ind1, ind2
    real :: coeff
    do i = 1, size_outer
       elt => elts(i)
       do j = 1, size_inner
          ind1 = elt%p1%val(j)
          ind2 = elt%p2%val(j)
          coeff = a(j) * (b(ind2) - b(ind1))
          c(ind1) = c(ind1) + coeff
          c(ind2) = c(ind2) - coeff
       end do
    end do
  end subroutine original
  subroutine single_indir(elts, size_outer, size_inner, a, b, c)
    type(element), pointer :: elts(:)
    integer, intent(in) :: size_outer, size_inner
    real, pointer :: a(:), b(:), c(:)
    type(element), pointer :: elt
    type(pairs), pointer :: elt_p1, elt_p2
    integer :: i, j, ind1, ind2
    real :: coeff
    do i = 1, size_outer
       elt => elts(i)
       elt_p1 => elt%p1
       elt_p2 => elt%p2
       do j = 1, size_inner
          ind1 = elt_p1%val(j)
          ind2 = elt_p2%val(j)
          coeff = a(j) * (b(ind2) - b(ind1))
          c(ind1) = c(ind1) + coeff
          c(ind2) = c(ind2) - coeff
       end do
    end do
  end subroutine single_indir
  subroutine with_allocatable(elts, size_outer, size_inner, a, b, c)
    type(element_a), pointer :: elts(:)
    integer, intent(in) :: size_outer, size_inner
    real, allocatable :: a(:), b(:), c(:)
    type(element_a), pointer :: elt
    type(pairs_a), pointer :: elt_p1, elt_p2
    integer :: i, j, ind1, ind2
    real :: coeff
    do i = 1, size_outer
       elt => elts(i)
       elt_p1 => elt%p1
       elt_p2 => elt%p2
       do j = 1, size_inner
          ind1 = elt_p1%val(j)
          ind2 = elt_p2%val(j)
          coeff = a(j) * (b(ind2) - b(ind1))
          c(ind1) = c(ind1) + coeff
          c(ind2) = c(ind2) - coeff
       end do
    end do
  end subroutine with_allocatable

end module mesh
