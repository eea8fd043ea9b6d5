! Differences against the wind, whose sign nobody can guess: gfortran -O2 makes a branch of merge, too.
! build: gfortran -O2
! build aarch64: gfortran -O2
! says x86-64: unpredictable-branch potential branch-free
! remedy: unpredictable-branch branch-free -DREMEDY
! measured: unpredictable-branch branch-free cascade-lake 1.90
module kernels
  use iso_c_binding
  implicit none
  integer, parameter :: n = 4000
  real(c_double) :: u(n), c(n), q(n)
  procedure(kernel), pointer :: call_kernel => kernel
contains
  subroutine kernel(u, c, q, count)
    integer, intent(in) :: count
    real(c_double), intent(in) :: u(count), c(count)
    real(c_double), intent(out) :: q(count)
    integer :: i
    do i = 2, count - 1
#ifdef REMEDY
       q(i) = max(c(i), 0d0) * (u(i) - u(i - 1)) + min(c(i), 0d0) * (u(i + 1) - u(i))
#else
       if (c(i) > 0d0) then
          q(i) = c(i) * (u(i) - u(i - 1))
       else
          q(i) = c(i) * (u(i + 1) - u(i))
       end if
#endif
    end do
  end subroutine kernel

  subroutine set_up() bind(c)
    integer :: i, seed
    seed = 12345
    do i = 1, n
       seed = modulo(seed * 1103 + 12345, 65536)
       u(i) = mod(i, 7) * 0.25d0
       c(i) = seed / 32768d0 - 1
    end do
    q = 0
  end subroutine set_up

  subroutine run() bind(c)
    call call_kernel(u, c, q, n)
  end subroutine run

  real(c_double) function result_() bind(c, name="result")
    result_ = sum(q)
  end function result_
end module kernels
