! The Brusselator with diffusion on a line of points, by dlsoda of deSolve with a full Jacobian that it computes itself.
module brusselator
  implicit none
  integer :: points
  double precision, parameter :: diffusion = 0.02d0
contains
  subroutine derivative(n, t, y, dy, rpar, ipar)
    integer :: n, ipar(*), i
    double precision :: t, y(n), dy(n), rpar(*), u, v, left, right, scale
    scale = diffusion * (points + 1)**2
    do i = 1, points
      u = y(i)
      v = y(points + i)
      left = 1
      if (i > 1) left = y(i - 1)
      right = 1
      if (i < points) right = y(i + 1)
      dy(i) = 1 + u * u * v - 4 * u + scale * (left - 2 * u + right)
      left = 3
      if (i > 1) left = y(points + i - 1)
      right = 3
      if (i < points) right = y(points + i + 1)
      dy(points + i) = 3 * u - u * u * v + scale * (left - 2 * v + right)
    end do
  end subroutine
  subroutine jacobian()
  end subroutine
end module

program main
  use brusselator
  implicit none
  integer :: n, state, i, method, ipar(1), lrw, liw
  integer, allocatable :: iwork(:)
  character(len=16) :: word
  double precision :: t, relative, absolute(1), rpar(1)
  double precision, allocatable :: y(:), rwork(:)
  call get_command_argument(1, word)
  read (word, *) points
  n = 2 * points
  lrw = 22 + 9 * n + n * n + 16 * n
  liw = 20 + n
  allocate (y(n), rwork(lrw), iwork(liw))
  do i = 1, points
    y(i) = 1 + sin(6.283185307d0 * i / (points + 1))
    y(points + i) = 3
  end do
  t = 0
  state = 1
  relative = 1d-7
  absolute(1) = 1d-7
  method = 2
  rwork = 0
  iwork = 0
  do i = 1, 10
    call dlsoda(derivative, n, y, t, dble(i), 1, relative, absolute, 1, state, 0, rwork, lrw, &
                iwork, liw, jacobian, method, rpar, ipar)
    print '(i3, 2f14.4)', state, y(points / 2), y(points + points / 2)
  end do
end program
