! Complex Fourier transforms of one dimension with a workspace, in the manner of old libraries.
!
!     call cfft_prepare(n, workspace)            once: n = 2^k, workspace of 4n + 15 reals
!     call cfft_backward(n, row, workspace)      row: n complex numbers, as 2n reals; in place, not scaled
!     call cfft_forward(n, row, workspace)
!
! The workspace is one array of reals, and yet three things: 2n reals that intermediate values go through, 2n that keep the
! roots of one, and 15 words that hold integers, n and its factors, as bit patterns.  Such a pattern looks like a denormal
! number, which it is not.  Callers pass complex arrays where reals are declared; compilers of separate files never know.

subroutine cfft_prepare(n, workspace)
    implicit none
    integer, intent(in) :: n
    real, intent(out) :: workspace(4 * n + 15)
    integer :: left, factors, i
    real :: angle
    do i = 0, n - 1
        angle = 2 * acos(-1.0) * real(i) / real(n)
        workspace(2 * n + 2 * i + 1) = cos(angle)
        workspace(2 * n + 2 * i + 2) = sin(angle)
    end do
    left = n
    factors = 0
    do while (left > 1)
        factors = factors + 1
        i = merge(4, 2, modulo(left, 4) == 0)
        workspace(4 * n + 2 + factors) = transfer(i, 0.0)
        left = left / i
    end do
    workspace(4 * n + 1) = transfer(n, 0.0)
    workspace(4 * n + 2) = transfer(factors, 0.0)
end subroutine cfft_prepare

! Each pass goes from the row to the workspace or back, and leaves the numbers in the order that the next one needs.
subroutine cfft_backward(n, row, workspace)
    implicit none
    integer, intent(in) :: n
    real, intent(inout) :: row(2, 0:n - 1), workspace(4 * n + 15)
    integer :: passes, pass, factor, length, stride
    logical :: in_row
    passes = transfer(workspace(4 * n + 2), 0)
    length = transfer(workspace(4 * n + 1), 0)
    stride = 1
    in_row = .true.
    do pass = 1, passes
        factor = transfer(workspace(4 * n + 2 + pass), 0)
        length = length / factor
        if (factor == 4 .and. in_row) then
            call cfft_pass4(n, length, stride, row, workspace, workspace(2 * n + 1))
        else if (factor == 4) then
            call cfft_pass4(n, length, stride, workspace, row, workspace(2 * n + 1))
        else if (in_row) then
            call cfft_pass2(n, length, stride, row, workspace, workspace(2 * n + 1))
        else
            call cfft_pass2(n, length, stride, workspace, row, workspace(2 * n + 1))
        end if
        in_row = .not. in_row
        stride = stride * factor
    end do
    if (.not. in_row) row = reshape(workspace(1:2 * n), [2, n])
end subroutine cfft_backward

subroutine cfft_forward(n, row, workspace)
    implicit none
    integer, intent(in) :: n
    real, intent(inout) :: row(2, 0:n - 1), workspace(4 * n + 15)
    row(2, :) = -row(2, :)
    call cfft_backward(n, row, workspace)
    row(2, :) = -row(2, :)
end subroutine cfft_forward

subroutine cfft_pass2(n, length, stride, from, to, roots)
    implicit none
    integer, intent(in) :: n, length, stride
    real, intent(in) :: from(2, 0:stride - 1, 0:length - 1, 0:1), roots(2, 0:n - 1)
    real, intent(out) :: to(2, 0:stride - 1, 0:1, 0:length - 1)
    integer :: p, q
    real :: c, s, x, y
    do p = 0, length - 1
        c = roots(1, p * stride)
        s = roots(2, p * stride)
        do q = 0, stride - 1
            x = from(1, q, p, 0) - from(1, q, p, 1)
            y = from(2, q, p, 0) - from(2, q, p, 1)
            to(1, q, 0, p) = from(1, q, p, 0) + from(1, q, p, 1)
            to(2, q, 0, p) = from(2, q, p, 0) + from(2, q, p, 1)
            to(1, q, 1, p) = c * x - s * y
            to(2, q, 1, p) = c * y + s * x
        end do
    end do
end subroutine cfft_pass2

subroutine cfft_pass4(n, length, stride, from, to, roots)
    implicit none
    integer, intent(in) :: n, length, stride
    real, intent(in) :: from(2, 0:stride - 1, 0:length - 1, 0:3), roots(2, 0:n - 1)
    real, intent(out) :: to(2, 0:stride - 1, 0:3, 0:length - 1)
    integer :: p, q
    real :: c1, s1, c2, s2, c3, s3, sum_x, sum_y, even_x, even_y, odd_x, odd_y, side_x, side_y
    do p = 0, length - 1
        c1 = roots(1, p * stride)
        s1 = roots(2, p * stride)
        c2 = roots(1, 2 * p * stride)
        s2 = roots(2, 2 * p * stride)
        c3 = roots(1, 3 * p * stride)
        s3 = roots(2, 3 * p * stride)
        do q = 0, stride - 1
            even_x = from(1, q, p, 0) + from(1, q, p, 2)
            even_y = from(2, q, p, 0) + from(2, q, p, 2)
            odd_x = from(1, q, p, 0) - from(1, q, p, 2)
            odd_y = from(2, q, p, 0) - from(2, q, p, 2)
            sum_x = from(1, q, p, 1) + from(1, q, p, 3)
            sum_y = from(2, q, p, 1) + from(2, q, p, 3)
            side_x = from(2, q, p, 3) - from(2, q, p, 1)
            side_y = from(1, q, p, 1) - from(1, q, p, 3)
            to(1, q, 0, p) = even_x + sum_x
            to(2, q, 0, p) = even_y + sum_y
            to(1, q, 1, p) = c1 * (odd_x + side_x) - s1 * (odd_y + side_y)
            to(2, q, 1, p) = c1 * (odd_y + side_y) + s1 * (odd_x + side_x)
            to(1, q, 2, p) = c2 * (even_x - sum_x) - s2 * (even_y - sum_y)
            to(2, q, 2, p) = c2 * (even_y - sum_y) + s2 * (even_x - sum_x)
            to(1, q, 3, p) = c3 * (odd_x - side_x) - s3 * (odd_y - side_y)
            to(2, q, 3, p) = c3 * (odd_y - side_y) + s3 * (odd_x - side_x)
        end do
    end do
end subroutine cfft_pass4
