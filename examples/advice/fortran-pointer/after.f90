! Allocatable arrays are contiguous: the index alone gives the place of an element, and no distance is looked up.
subroutine kernel(field, value, place, count)
  implicit none
  real(8), allocatable :: field(:), value(:)
  integer, allocatable :: place(:)
  integer, intent(in) :: count
  integer :: i
  do i = 1, count
     field(i) = field(i) * 0.5d0 + value(place(i))
  end do
end subroutine kernel

program main
  implicit none
  interface
     subroutine kernel(field, value, place, count)
       real(8), allocatable :: field(:), value(:)
       integer, allocatable :: place(:)
       integer, intent(in) :: count
     end subroutine kernel
  end interface
  integer, parameter :: length = 1000
  real(8), allocatable :: field(:), value(:)
  integer, allocatable :: place(:)
  integer(8) :: k, repetitions
  integer :: i
  character(20) :: word
  repetitions = 100
  if (command_argument_count() > 0) then
     call get_command_argument(1, word)
     read (word, *) repetitions
  end if
  allocate (field(length), value(length), place(length))
  do i = 1, length
     field(i) = mod(i, 7)
     value(i) = mod(i, 11) + 1
     place(i) = mod(i * 37, length) + 1
  end do
  do k = 1, repetitions
     value(1) = real(k, 8)
     call kernel(field, value, place, length)
  end do
  print '(f0.4)', sum(field)
end program main
