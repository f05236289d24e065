//! Division by a number known beforehand, as a multiplication and two shifts: [`Divider32`] and [`Divider64`].
//!
//! Taking a linear index apart divides by the same sizes over and over, and a division costs ten multiplications. The
//! method is the unsigned one of Granlund and Montgomery, "Division by invariant integers using multiplication" (1994),
//! figure 4.1: it holds for every dividend of the type, where several well-known variants stop at 2^31.
//! Needs neither `alloc` nor `std`; everything is `const`.

/// Declares the divider of one width.
macro_rules! divider {
    ($(#[$doc:meta])* $name:ident, $t:ty, $wide:ty, $bits:literal) => {
        $(#[$doc])*
        ///
        /// With `high(a, b)` for the upper half of the double-width product (`__umulhi` on a GPU), a kernel computes
        ///
        /// ```text
        /// t = high(multiplier, n)
        /// q = (t + ((n - t) >> pre_shift)) >> post_shift
        /// ```
        ///
        /// for any divisor, 1 and powers of two included, without a branch and without an overflow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            divisor: $t,
            multiplier: $t,
            pre_shift: u32,
            post_shift: u32,
        }

        impl $name {
            /// The divider for `divisor`; `None` for 0.
            #[must_use]
            pub const fn new(divisor: $t) -> Option<$name> {
                if divisor == 0 {
                    return None;
                }
                // The least `log` with 2^log >= divisor. 2^log - divisor is below 2^bits even for log = bits.
                let log = <$t>::BITS - (divisor - 1).leading_zeros();
                let rest = (1 << log) - divisor as $wide;
                // Below 2^bits, because 2^log <= 2 * divisor - 2 unless the divisor is a power of two, when it is 1.
                let multiplier = ((rest << $bits) / divisor as $wide + 1) as $t;
                let pre_shift = if log == 0 { 0 } else { 1 };
                Some($name { divisor, multiplier, pre_shift, post_shift: log - pre_shift })
            }

            /// `n / divisor`, for every `n`.
            #[inline]
            #[must_use]
            pub const fn div(self, n: $t) -> $t {
                let high = ((self.multiplier as $wide * n as $wide) >> $bits) as $t;
                (high + ((n - high) >> self.pre_shift)) >> self.post_shift
            }

            /// `(n / divisor, n % divisor)`, for every `n`.
            #[inline]
            #[must_use]
            pub const fn div_rem(self, n: $t) -> ($t, $t) {
                let quotient = self.div(n);
                (quotient, n - quotient * self.divisor)
            }

            /// What is divided by.
            #[inline]
            #[must_use]
            pub const fn divisor(self) -> $t {
                self.divisor
            }

            /// The factor whose upper half of the product approximates the quotient.
            #[inline]
            #[must_use]
            pub const fn multiplier(self) -> $t {
                self.multiplier
            }

            /// The first shift: 0 for the divisor 1, otherwise 1.
            #[inline]
            #[must_use]
            pub const fn pre_shift(self) -> u32 {
                self.pre_shift
            }

            /// The second shift.
            #[inline]
            #[must_use]
            pub const fn post_shift(self) -> u32 {
                self.post_shift
            }
        }
    };
}

divider! {
    /// Division of any `u32` by one `u32`.
    ///
    /// ```
    /// use weft_layout::Divider32;
    /// let by_three = Divider32::new(3).ok_or("zero")?;
    /// assert_eq!(by_three.div(3_221_225_472), 1_073_741_824);
    /// assert_eq!(by_three.div_rem(u32::MAX), (u32::MAX / 3, u32::MAX % 3));
    /// assert_eq!(Divider32::new(0), None);
    /// # Ok::<(), &str>(())
    /// ```
    Divider32, u32, u64, 32
}

divider! {
    /// Division of any `u64` by one `u64`.
    ///
    /// ```
    /// use weft_layout::Divider64;
    /// const BY_TEN: Divider64 = Divider64::new(10).expect("not zero");
    /// assert_eq!(BY_TEN.div_rem(u64::MAX), (u64::MAX / 10, 5));
    /// ```
    Divider64, u64, u128, 64
}
