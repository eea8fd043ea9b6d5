! The centre of masses, from an array of a derived type.
! build: gfortran -O2
! cure: layout -DCURE=1 -O3 -ffast-math
! cure: partial-sums -DCURE=2
! best: -DCURE=1 -O3 -ffast-math
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 400
  type body
     real(c_double) :: x, y, z, mass, vx, vy, vz
  end type body
  type(body) :: bodies(n)
  real(c_double) :: centre, xs(n), ms(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  real(c_double) function kernel(b, xs, ms, n) result(centre)
    integer, intent(in) :: n
    type(body), intent(in) :: b(n)
    real(c_double), intent(in) :: xs(n), ms(n)
    real(c_double) :: s(4), t(4), moment, mass
    integer :: i
    moment = 0
    mass = 0
#if CURE == 1
    do i = 1, n
       moment = moment + xs(i) * ms(i)
       mass = mass + ms(i)
    end do
#elif CURE == 2
    s = 0
    t = 0
    do i = 1, n, 4
       s(1) = s(1) + b(i)%x * b(i)%mass
       t(1) = t(1) + b(i)%mass
       s(2) = s(2) + b(i + 1)%x * b(i + 1)%mass
       t(2) = t(2) + b(i + 1)%mass
       s(3) = s(3) + b(i + 2)%x * b(i + 2)%mass
       t(3) = t(3) + b(i + 2)%mass
       s(4) = s(4) + b(i + 3)%x * b(i + 3)%mass
       t(4) = t(4) + b(i + 3)%mass
    end do
    moment = sum(s)
    mass = sum(t)
#else
    do i = 1, n
       moment = moment + b(i)%x * b(i)%mass
       mass = mass + b(i)%mass
    end do
#endif
    centre = moment / mass
  end function kernel
  subroutine set_up() bind(c)
    integer :: i
    do i = 1, n
       bodies(i)%x = mod(i * 7, 13) * 0.1d0
       bodies(i)%mass = mod(i, 5) + 1
       xs(i) = bodies(i)%x
       ms(i) = bodies(i)%mass
    end do
  end subroutine set_up
  subroutine run() bind(c)
    centre = call_kernel(bodies, xs, ms, n)
  end subroutine run
  real(c_double) function result_() bind(c, name="result")
    result_ = centre
  end function result_
end module kernels
