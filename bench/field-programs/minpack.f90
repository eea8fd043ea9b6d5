! Calls MINPACK: a system of N equations (Broyden's tridiagonal function), and N parameters fitted to 3 N values.
module problems
  implicit none
contains
  subroutine equations(n, x, f, iflag)
    integer :: n, iflag, i
    double precision :: x(n), f(n), before, after
    do i = 1, n
       before = 0
       after = 0
       if (i > 1) before = x(i - 1)
       if (i < n) after = x(i + 1)
       f(i) = (3 - 2 * x(i)) * x(i) - before - 2 * after + 1
    end do
  end subroutine

  subroutine residuals(m, n, x, f, iflag)
    integer :: m, n, iflag, i
    double precision :: x(n), f(m), t, total
    total = sum(x**2)
    do i = 1, m
       t = dble(i) / m
       f(i) = x(mod(i - 1, n) + 1) * t + x(mod(i + 6, n) + 1)**2 - cos(3 * t) + 1d-3 * total
    end do
  end subroutine
end module

program minpack
  use problems
  implicit none
  integer :: n, info, length
  character(len=20) :: word
  double precision, allocatable :: x(:), f(:), work(:)
  integer, allocatable :: places(:)
  call get_command_argument(1, word)
  read (word, *) n
  allocate (x(n), f(n), work(n * (3 * n + 13)))
  x = -1
  call hybrd1(equations, n, x, f, 1d-10, info, work, n * (3 * n + 13))
  print '(i3, 3f14.8)', info, x(1), x(n / 2), x(n)
  deallocate (f, work)
  length = 3 * n * n / 2 + 5 * n / 2 + 3 * n + 3 * n * n
  allocate (f(3 * n), work(length), places(n))
  x = 0.5d0
  call lmdif1(residuals, 3 * n, n, x, f, 1d-8, info, places, work, length)
  print '(i3, f14.6)', info, sqrt(sum(f**2))
end program
