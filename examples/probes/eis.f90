! The first paper's Eis loop (6.1.1) in small: floating-point work on several arrays, always 110 iterations.  The compiler does
! not know that: it tests for overlap and alignment before, and handles what its vectors leave over after.
! -DKNOWN is the fix: the number is a constant.  Arguments: the number of iterations, how often.
module eis_loop
  implicit none
contains
  subroutine eis(e, ets, um, um1, um2, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: e(*)
    real(8), intent(in) :: ets(*), um(*), um1(*), um2(*)
    integer :: i
#ifdef KNOWN
    if (n == 110) then
      do i = 1, 110
        e(i) = ets(i) - 0.5d0 * (um(i) * um(i) + um1(i) * um1(i) + um2(i) * um2(i))
      end do
      return
    end if
#endif
    do i = 1, n
      e(i) = ets(i) - 0.5d0 * (um(i) * um(i) + um1(i) * um1(i) + um2(i) * um2(i))
    end do
  end subroutine
end module

program main
  use eis_loop
  implicit none
  real(8) :: e(110, 40), ets(110, 40), um(110, 40), um1(110, 40), um2(110, 40)
  integer :: n, turns, turn, row
  character(len=8) :: word
  word = '110'
  if (command_argument_count() > 0) call get_command_argument(1, word)
  read (word, *) n
  word = '200000'
  if (command_argument_count() > 1) call get_command_argument(2, word)
  read (word, *) turns
  e = 0
  ets = 2
  um = 1
  um1 = 0.5d0
  um2 = 0.25d0
  do turn = 1, turns
    do row = 1, 40
      call eis(e(:, row), ets(:, row), um(:, row), um1(:, row), um2(:, row), n)
    end do
  end do
  print '(f14.4)', sum(e)
end program
