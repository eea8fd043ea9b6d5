! The first paper's 6.1.2 in small: a while loop over cells, and in it loops over the variables of the model.  Their number
! is read at run time, so the compiler prepares for any: before the loop it computes addresses and tests what it may assume.
! It is always 5.  -DFIVE is the fix: the loop peeled for 5.  Arguments: the number of variables, how often.
module cells
  implicit none
  integer :: variables = 0
contains
  subroutine totalise(mass, density, slope, first, last, dxd, dxg)
    integer, intent(in) :: first(:), last(:)
    real(8), intent(inout) :: mass(:, :)
    real(8), intent(in) :: density(:, :), slope(:, :), dxd, dxg
    integer :: cell, ma, mn, j
    mn = 1
    do cell = 1, size(first)
      ma = first(cell)
      do while (ma <= last(cell))
        if (density(ma, 1) < 0) exit
#ifdef FIVE
        if (variables == 5) then
          mass(mn, 1) = dxd * (density(ma, 1) + 0.5d0 * dxg * slope(ma, 1))
          mass(mn, 2) = dxd * (density(ma, 2) + 0.5d0 * dxg * slope(ma, 2))
          mass(mn, 3) = dxd * (density(ma, 3) + 0.5d0 * dxg * slope(ma, 3))
          mass(mn, 4) = dxd * (density(ma, 4) + 0.5d0 * dxg * slope(ma, 4))
          mass(mn, 5) = dxd * (density(ma, 5) + 0.5d0 * dxg * slope(ma, 5))
        else
#endif
        do j = 1, variables
          mass(mn, j) = dxd * (density(ma, j) + 0.5d0 * dxg * slope(ma, j))
        end do
#ifdef FIVE
        end if
#endif
        ma = ma + 1
        mn = mn + 1
        if (mn > size(mass, 1)) mn = 1
      end do
    end do
  end subroutine
end module

program main
  use cells
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: mass(:, :), density(:, :), slope(:, :)
  integer :: first(n), last(n), turns, turn, i
  character(len=8) :: word
  word = '5'
  if (command_argument_count() > 0) call get_command_argument(1, word)
  read (word, *) variables
  word = '20000'
  if (command_argument_count() > 1) call get_command_argument(2, word)
  read (word, *) turns
  allocate (mass(n, variables), density(n + 8, variables), slope(n + 8, variables))
  mass = 0
  density = 1
  slope = 0.25d0
  do i = 1, n
    first(i) = i
    last(i) = i + mod(i, 3)
  end do
  do turn = 1, turns
    call totalise(mass, density, slope, first, last, 0.5d0, 0.125d0)
  end do
  print '(f14.3)', sum(mass)
end program
