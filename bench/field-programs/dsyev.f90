! All eigenvalues and eigenvectors of a random symmetric matrix by LAPACK's dsyev.
program main
  implicit none
  integer :: n, i, j, information, seed
  character(len=16) :: word
  double precision, allocatable :: a(:, :), w(:), work(:)
  call get_command_argument(1, word)
  read (word, *) n
  allocate (a(n, n), w(n), work(64 * n))
  seed = 12345
  do j = 1, n
    do i = 1, j
      seed = mod(seed * 421 + 1663, 7875)
      a(i, j) = seed / 7875d0 - 0.5d0
      a(j, i) = a(i, j)
    end do
  end do
  call dsyev('V', 'U', n, a, n, w, work, 64 * n, information)
  print '(i3, 4f14.6)', information, w(1), w(n / 3), w(n), sum(abs(a(:, n)))
end program
