! Loops counted by hand; the call of touch keeps the compiler from transforming them.
! EXPECT function loops deepest irreducible
! EXPECT sequence_ 2 1 0
subroutine sequence(n)
  implicit none
  integer, intent(in) :: n
  integer :: i
  external :: touch
  do i = 1, n
    call touch(i)
  end do
  do i = n, 1, -1
    call touch(i)
  end do
end subroutine sequence

! EXPECT nest_ 3 3 0
subroutine nest(n, m, k)
  implicit none
  integer, intent(in) :: n, m, k
  integer :: i, j, l
  external :: touch
  do i = 1, n
    call touch(i)
    do j = 1, m
      call touch(j)
      do l = 1, k
        call touch(l)
      end do
      call touch(j)
    end do
    call touch(i)
  end do
end subroutine nest

! EXPECT search_ 1 1 0
subroutine search(n)
  implicit none
  integer, intent(in) :: n
  integer :: i
  external :: touch
  i = 0
  do while (i < n)
    call touch(i)
    if (i == 12345) exit
    i = i + 1
  end do
end subroutine search
