! Scalars come by reference, and some are left out; tests/commands/run/probe_values.py knows which.
program values
  interface
    subroutine scales(n, by, x, extra)
      integer, intent(in) :: n
      real(8), intent(in) :: by
      real(8), intent(inout) :: x(n)
      integer, intent(in), optional :: extra
    end subroutine
  end interface
  real(8) :: x(100)
  integer :: k
  x = 1
  do k = 1, 20
    call scales(5, 2.5d0, x)
  end do
  call scales(-7, 1.0d0, x, 3)
  print *, x(1) > 0
end program
