! Rows of a matrix are passed to a routine that wants its elements side by side: for each call a row is copied to memory
! that is allocated for it, and back.
subroutine ends(v, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: v(n)
  v(1) = v(1) * 0.5d0 + 1
  v(n) = v(n) * 0.5d0 + v(1)
end subroutine ends

subroutine kernel(x, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: x(:, :)
  integer :: i
  external :: ends
  do i = 1, m
     call ends(x(i, 1:n), n)
  end do
end subroutine kernel

program main
  implicit none
  interface
     subroutine kernel(x, n, m)
       integer, intent(in) :: n, m
       real(8), intent(inout) :: x(:, :)
     end subroutine kernel
  end interface
  integer, parameter :: length = 40
  real(8), allocatable :: x(:, :)
  integer(8) :: k, repetitions
  integer :: i
  character(20) :: word
  repetitions = 100
  if (command_argument_count() > 0) then
     call get_command_argument(1, word)
     read (word, *) repetitions
  end if
  allocate (x(length, length))
  do i = 1, length
     x(:, i) = 3
  end do
  do k = 1, repetitions
     call kernel(x, length, length)
  end do
  print '(f0.4)', sum(x)
end program main
