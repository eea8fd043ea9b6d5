module shared
  implicit none
  real, allocatable :: field(:,:)
  double precision :: table(6,8)
  real, pointer :: view(:,:)
  type part
    real, allocatable :: inner(:)
    real :: fixed(4,12)
  end type
  type(part) :: whole
end module

subroutine fill(a, n, value)
  implicit none
  integer :: n, i
  real :: a(n), value
  do i = 1, n
    a(i) = value * (1 + real(i) / n)
  end do
end subroutine

subroutine assumed(a, value)
  implicit none
  real :: a(:,:), value
  integer :: i, j
  do j = 1, size(a, 2)
    do i = 1, size(a, 1)
      a(i, j) = value * (1 + real(i) / j)
    end do
  end do
end subroutine

subroutine locals(n, total)
  implicit none
  integer :: n, i
  real :: total, here(48), automatic(n)
  common /block/ c1(4,12), k
  real :: c1
  integer :: k
  call fill(here, 48, 1e-39)
  call fill(automatic, n, 1e-39)
  call fill(c1, 48, 1e-39)
  total = here(3) + automatic(4) + c1(1,1)
end subroutine

subroutine turn(square, n)
  implicit none
  integer :: n
  real :: square(n,n)
  square = transpose(square)
end subroutine

program kinds
  use shared
  implicit none
  interface
    subroutine assumed(a, value)
      real :: a(:,:), value
    end subroutine
  end interface
  real, allocatable :: own(:,:), square(:,:)
  type(part), allocatable :: parts(:)
  complex, allocatable :: waves(:)
  real, pointer :: mine(:,:)
  real :: total
  integer :: i, j
  allocate(field(6,8), own(6,8), waves(24), square(7,7), whole%inner(48), parts(3), mine(6,8))
  allocate(view(6,8))
  call assumed(field, 1e-39)
  call assumed(own, 1e-39)
  call assumed(mine, 1e-39)
  call assumed(view, 1e-39)
  call fill(whole%inner, 48, 1e-39)
  call fill(whole%fixed, 48, 1e-39)
  do j = 1, 8
    do i = 1, 6
      table(i,j) = 1d-310 * (i + 6 * j)
    end do
  end do
  do i = 1, 24
    waves(i) = cmplx(1e-39 * i, 0)
  end do
  do i = 1, 3
    parts(i)%fixed = 1e-39 * (i + 1)
  end do
  call assumed(square, 1e-39)
  call turn(square, 7)
  call locals(48, total)
  print *, total, real(waves(5)), own(2,2), square(2,3), parts(2)%fixed(1,1)
end program
