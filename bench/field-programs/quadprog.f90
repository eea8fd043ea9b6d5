! A quadratic program whose solution lies on many of its constraints, by qpgen2 of quadprog.
program main
  implicit none
  integer :: n, q, i, j, k, active, error, iterations(2)
  integer, allocatable :: which(:)
  character(len=16) :: word
  double precision :: value
  double precision, allocatable :: d(:, :), linear(:), a(:, :), b(:), x(:), multipliers(:), work(:)
  integer :: seed
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) q
  k = min(n, q)
  allocate (d(n, n), linear(n), a(n, q), b(q), x(n), multipliers(q), which(q), work(2 * n + k * (k + 5) / 2 + 2 * q + 1))
  d = 0
  do i = 1, n
    d(i, i) = 1
    linear(i) = 1 + mod(i * 37, 101) / 25d0
  end do
  seed = 1
  do j = 1, q
    do i = 1, n
      seed = mod(seed * 421 + 1663, 7875)
      a(i, j) = seed / 7875d0 - 0.5d0
    end do
    b(j) = 0.4d0 + mod(j * 53, 97) / 300d0
  end do
  error = 1                     ! the matrix is the inverse of its factor already
  call qpgen2(d, linear, n, n, x, multipliers, value, a, b, n, q, 0, which, active, iterations, work, error)
  print '(i3, i6, 3f16.6)', error, active, value, sum(x), sum(multipliers)
end program

subroutine dpofa(a, lda, n, info)
  implicit none
  integer :: lda, n, info
  double precision :: a(lda, n)
  stop 'not needed: the matrix comes factored'
end subroutine
subroutine dposl(a, lda, n, b)
  implicit none
  integer :: lda, n
  double precision :: a(lda, n), b(n)
  stop 'not needed'
end subroutine
subroutine dpori(a, lda, n)
  implicit none
  integer :: lda, n
  double precision :: a(lda, n)
  stop 'not needed'
end subroutine
