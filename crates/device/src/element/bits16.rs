//! The 16-bit floats to `f32` and back, without a branch: a loop over them becomes vectors.
//!
//! The bits are those of the `half` crate, NaNs included, which the tests compare.

/// binary16 to `f32`: exact.
#[inline]
pub(super) fn widen_f16(bits: u16) -> f32 {
    let (sign, rest) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff));
    // The exponent's bias grows by 112; infinities and NaNs get the largest one, and a NaN becomes a quiet one.
    let normal = (rest << 13) + (112 << 23);
    let quiet = if rest > 0x7c00 { 1 << 22 } else { 0 };
    let special = (rest << 13) | 0x7f80_0000 | quiet;
    // Below the normal ones a unit is 2^-24.
    let small = (rest as i32 as f32 * (1.0 / 16_777_216.0)).to_bits();
    let magnitude = if rest < 0x400 { small } else { normal };
    f32::from_bits(sign | if rest >= 0x7c00 { special } else { magnitude })
}

/// `f32` to binary16: to nearest, ties to even.
#[inline]
pub(super) fn narrow_f16(value: f32) -> u16 {
    let (sign, rest) = ((value.to_bits() >> 16) & 0x8000, value.to_bits() & 0x7fff_ffff);
    // Just less than half a unit is added, or half of one where the unit's bit is set. What overflows becomes an infinity.
    let normal = rest.wrapping_sub(112 << 23).wrapping_add(0xfff + ((rest >> 13) & 1)) >> 13;
    // The unit of 0.5 in `f32` is 2^-24, the unit below the normal ones: the addition rounds.
    let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let special = if rest > 0x7f80_0000 { 0x7e00 | ((rest >> 13) & 0x3ff) } else { 0x7c00 };
    let magnitude = if rest < 0x3880_0000 { small } else { normal };
    (sign | if rest >= 0x4780_0000 { special } else { magnitude }) as u16
}

/// bfloat16 to `f32`: exact.
#[inline]
pub(super) fn widen_bf16(bits: u16) -> f32 {
    let quiet = if bits & 0x7fff > 0x7f80 { 0x40 } else { 0 };
    f32::from_bits(u32::from(bits | quiet) << 16)
}

/// `f32` to bfloat16: to nearest, ties to even.
#[inline]
pub(super) fn narrow_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let quiet = (bits >> 16) | 0x40;
    (if bits & 0x7fff_ffff > 0x7f80_0000 { quiet } else { rounded }) as u16
}

#[cfg(test)]
mod tests {
    use super::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};

    fn check(value: f32) {
        let bits = value.to_bits();
        assert_eq!(narrow_f16(value), half::f16::from_f32_const(value).to_bits(), "{bits:#x}");
        assert_eq!(narrow_bf16(value), half::bf16::from_f32_const(value).to_bits(), "{bits:#x}");
    }

    #[test]
    fn every_value_widens_as_in_half() {
        for bits in 0..=u16::MAX {
            assert_eq!(widen_f16(bits).to_bits(), half::f16::from_bits(bits).to_f32_const().to_bits(), "{bits:#x}");
            assert_eq!(widen_bf16(bits).to_bits(), half::bf16::from_bits(bits).to_f32_const().to_bits(), "{bits:#x}");
        }
    }

    /// Every value, every tie between two of them, and what is next to these.
    #[test]
    fn neighbours_and_ties_narrow_as_in_half() {
        for bits in 0..=u16::MAX {
            for exact in [widen_f16(bits), widen_bf16(bits)] {
                for half_unit in [0u32, 0x1000, 0x8000] {
                    for beside in [u32::MAX, 0, 1] {
                        check(f32::from_bits(exact.to_bits().wrapping_add(half_unit).wrapping_add(beside)));
                    }
                }
            }
        }
        // The lowest ties of binary16 are not where a bit of `f32` says.
        for unit in 0..2050 {
            for quarter in 0..4 {
                let value = (unit as f32 + quarter as f32 / 4.0) / 16_777_216.0;
                [-1, 0, 1].into_iter().for_each(|by| check(f32::from_bits(value.to_bits().saturating_add_signed(by))));
            }
        }
        let mut state = 1u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            check(f32::from_bits(state));
        }
    }
}
