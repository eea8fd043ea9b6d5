! Gabor filters of an image, as face recognisers make them: where denormal numbers come from far away.
!
!     gabor [SIZE [fix]]         default: 256
!
! The image is transformed once.  For each of 5 widths and 8 directions its transform is multiplied by a kernel, moved to that
! direction, and transformed back; the absolute values are the filtered image.  The kernels are made with exp, and what lies
! far from their middle is denormal.  From there the denormals go through fctemp, ftemp and the workspace of the transform
! into ctemp, and the time is lost in routines that have nothing to do with it.
!
! The fix is one line in compute_kernel, where the second argument asks for it: what is less than 1e-20 becomes 0.

module transforms
    implicit none
    private
    public :: forward_2d, backward_2d
    external :: cfft_prepare, cfft_backward, cfft_forward
    complex, allocatable, target :: ftemp(:, :)
    real, allocatable :: wsaverow(:), wsavecol(:)
contains
    subroutine prepare(n)
        integer, intent(in) :: n
        if (allocated(ftemp)) return
        allocate (ftemp(n, n), wsaverow(4 * n + 15), wsavecol(4 * n + 15))
        call cfft_prepare(n, wsaverow)
        call cfft_prepare(n, wsavecol)
    end subroutine prepare

    subroutine forward_2d(n, from, to)
        integer, intent(in) :: n
        complex, intent(in) :: from(n, n)
        complex, pointer :: to(:, :)
        integer :: j
        call prepare(n)
        ftemp = from
        do j = 1, n
            call cfft_forward(n, ftemp(1, j), wsaverow)
        end do
        to = transpose(ftemp)
        do j = 1, n
            call cfft_forward(n, to(1, j), wsavecol)
        end do
    end subroutine forward_2d

    ! What is known here of to and ftemp does not rule out that they overlap: the compiler transposes into a temporary array.
    subroutine backward_2d(n, from, to)
        integer, intent(in) :: n
        complex, intent(in) :: from(n, n)
        complex, pointer :: to(:, :)
        integer :: j
        call prepare(n)
        ftemp = from
        do j = 1, n
            call cfft_backward(n, ftemp(1, j), wsaverow)
        end do
        to = transpose(ftemp)
        do j = 1, n
            call cfft_backward(n, to(1, j), wsavecol)
        end do
    end subroutine backward_2d
end module transforms

module gabor
    use transforms
    implicit none
    integer, parameter :: levels = 5, directions = 8
    real, parameter :: pi = 3.14159265, sigma = 2 * pi
    real, pointer :: kernel(:, :, :), response(:, :, :)
    complex, pointer :: fcimage(:, :), ctemp(:, :)
    complex, allocatable :: cimage(:, :), fctemp(:, :)
contains
    ! Width of the kernels of a level, in the frequency domain.
    real function width(level)
        integer, intent(in) :: level
        width = pi / 2 * 2.0 ** (-0.5 * (level - 1))
    end function width

    subroutine compute_kernel(n, drop_tiny)
        integer, intent(in) :: n
        logical, intent(in) :: drop_tiny
        integer :: level, x, y
        real :: fx, fy, value
        do level = 1, levels
            do y = 1, n
                do x = 1, n
                    fx = 2 * pi * min(x - 1, n - x + 1) / n
                    fy = 2 * pi * min(y - 1, n - y + 1) / n
                    value = exp(-sigma ** 2 * (fx ** 2 + fy ** 2) / (2 * width(level) ** 2))
                    if (drop_tiny) then
                        if (value < 1e-20) value = 0
                    end if
                    kernel(x, y, level) = value
                end do
            end do
        end do
    end subroutine compute_kernel

    ! A face of sorts: an oval with eyes and a mouth, in front of stripes.
    subroutine make_image(n)
        integer, intent(in) :: n
        integer :: i, j
        real :: x, y, grey
        do j = 1, n
            do i = 1, n
                x = 2.0 * (i - 1) / n - 1
                y = 2.0 * (j - 1) / n - 1
                grey = 40 + 20 * modulo(i / 5 + j / 7, 2)
                if ((x / 0.6) ** 2 + (y / 0.8) ** 2 < 1) grey = 180 - 60 * x ** 2 + 20 * y
                if ((abs(x) - 0.25) ** 2 + (y + 0.2) ** 2 < 0.008) grey = 30
                if (abs(x) < 0.22 .and. abs(y - 0.4 + x ** 2) < 0.05) grey = 90
                cimage(i, j) = grey
            end do
        end do
    end subroutine make_image

    subroutine apply_kernel(n, level, direction)
        integer, intent(in) :: n, level, direction
        integer :: x, y, dx, dy
        real :: angle
        angle = (direction - 4) * pi / directions
        dx = nint(width(level) * cos(angle) * n / (2 * pi))
        dy = nint(width(level) * sin(angle) * n / (2 * pi))
        do y = 1, n
            do x = 1, n
                fctemp(x, y) = kernel(1 + modulo(x - 1 - dx, n), 1 + modulo(y - 1 - dy, n), level) * fcimage(x, y)
            end do
        end do
    end subroutine apply_kernel

    subroutine transform_image(n)
        integer, intent(in) :: n
        integer :: level, direction
        call forward_2d(n, cimage, fcimage)
        response = 0
        do level = 1, levels
            do direction = 1, directions
                call apply_kernel(n, level, direction)
                call backward_2d(n, fctemp, ctemp)
                response(:, :, level) = response(:, :, level) + sqrt(real(ctemp) ** 2 + aimag(ctemp) ** 2)
            end do
        end do
    end subroutine transform_image
end module gabor

program filter
    use gabor
    implicit none
    character(len=16) :: word
    integer :: n, level, status
    n = 256
    call get_command_argument(1, word)
    if (word /= '') then
        read (word, *, iostat=status) n
        if (status /= 0 .or. n < 4 .or. n > 4096 .or. iand(n, n - 1) /= 0) stop 'usage: gabor [SIZE [fix]], SIZE a power of two'
    end if
    call get_command_argument(2, word)
    allocate (kernel(n, n, levels), response(n, n, levels))
    allocate (fcimage(n, n), ctemp(n, n), cimage(n, n), fctemp(n, n))
    call make_image(n)
    call compute_kernel(n, word == 'fix')
    call transform_image(n)
    do level = 1, levels
        print '(a, i2, 2(a, es14.6))', 'level', level, ': mean', sum(response(:, :, level)) / real(n) ** 4, &
            ', largest', maxval(response(:, :, level)) / n ** 2
    end do
end program filter
