! An array of a derived type, of which a loop needs two components of seven.
! build: gfortran -O3
! says: array-of-structures potential layout
! remedy: array-of-structures layout -DREMEDY
! measured: array-of-structures layout neoverse-v1 4.02
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1000
#ifdef REMEDY
  type particles
     real(c_float) :: mass(n), x(n), y(n), z(n), u(n), v(n), w(n)
  end type particles
  type(particles) :: p
#define AT(i, m) p%m(i)
#define PARTICLES type(particles)
#else
  type particle
     real(c_float) :: mass, x, y, z, u, v, w
  end type particle
  type(particle) :: p(n)
#define AT(i, m) p(i)%m
#define PARTICLES type(particle), dimension(n)
#endif
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(p, step, m)
    PARTICLES, intent(inout) :: p
    real(c_float), intent(in) :: step
    integer, intent(in) :: m
    integer :: i
    do i = 1, m
       AT(i, x) = AT(i, x) * 0.5 + AT(i, u) * step
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i
    do i = 1, n
       AT(i, x) = real(mod(i, 7))
       AT(i, u) = real(mod(i, 5))
    end do
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(p, 0.125, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    integer :: i
    result_ = 0
    do i = 1, n
       result_ = result_ + AT(i, x) * (mod(i, 3) + 1)
    end do
  end function result_
end module kernels
