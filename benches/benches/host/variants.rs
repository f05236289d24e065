//! Rows that nobody could tune for: near each case, drawn at random, with other extents, another rank, another type of that size.

use crate::cases::{Case, Step, Target, Type, Work};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// One row near one of the cases of each class that is a copy or arithmetic into a buffer that is there.
pub(crate) fn draw(cases: &[Case], random: &mut Random, of_each: usize) -> Vec<Case> {
    let mut drawn = Vec::new();
    for class in cases.chunk_by(|a, b| a.class == b.class) {
        if !matches!(class[0].work, Work::Recycled | Work::Cold) {
            drawn.extend((0..of_each).map(|_| near(&class[random.below(class.len())], random)));
        }
    }
    drawn
}

/// A row near `case`, of between three quarters and four thirds of its size.
fn near(case: &Case, random: &mut Random) -> Case {
    loop {
        let drawn = once(case, random);
        let (was, is) = (case.bytes(), drawn.bytes());
        if is * 4 > was * 3 && is * 3 < was * 4 && (was < 12 << 20 || is > 13 << 20) {
            return drawn;
        }
    }
}

fn once(case: &Case, random: &mut Random) -> Case {
    let mut drawn = case.clone();
    let odd = random.coin();
    let rank = drawn.base.len();
    for n in &mut drawn.base {
        // The short axes are what makes the class: channels, and rows of 64.
        if *n > 4 && (*n != 64 || rank <= 3) {
            let near = *n * (80 + random.below(41)) / 100;
            *n = if odd { near | 1 } else { near.next_multiple_of(if *n > 64 { 16 } else { 2 }) };
        }
    }
    for step in &mut drawn.steps {
        if let Step::Stretch(_, n) = step {
            *n = (*n * (80 + random.below(41)) / 100) | usize::from(odd);
        }
    }
    drawn.dtype = match case.dtype {
        dtype if case.work != Work::Copy => dtype,
        _ if case.class.starts_with("contiguous") => [Type::U16, Type::I32, Type::F64][random.below(3)],
        Type::F32 => Type::I32,
        Type::F64 => Type::I64,
        dtype => dtype,
    };
    if case.work == Work::Copy && !case.steps.iter().any(|s| matches!(s, Step::Inset)) && rank < 6 && random.coin() {
        batch(&mut drawn, 2 + random.below(2));
    }
    if odd && is_tiled(case) {
        // Lines that do not begin at 64 bytes cannot be written past the cache: the table asks for 5/8 then.
        if let Target::Floor(one, two) = case.target {
            drawn.target = Target::Floor(one.map(|t| t * 0.625), two.map(|t| t * 0.625));
        }
    }
    let shape = drawn.base.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    drawn.name = format!("near {}: {} {shape}", case.name, drawn.dtype.name());
    drawn
}

/// Whether rows are read along another axis than they are written, by the lines of a cache.
fn is_tiled(case: &Case) -> bool {
    let swaps = case.steps.iter().any(|s| matches!(s, Step::Permute(axes) if axes.last() != Some(&(axes.len() - 1))));
    let short = case.base.iter().any(|&n| n <= 4);
    swaps && !short && !case.class.contains("odd lines") && case.base.len() <= 3
}

/// A leading axis of `n`, taken from the longest one.
fn batch(case: &mut Case, n: usize) {
    if let Some(longest) = case.base.iter_mut().max() {
        *longest /= n;
    }
    case.base.insert(0, n);
    for step in &mut case.steps {
        match step {
            Step::Permute(axes) => {
                axes.iter_mut().for_each(|axis| *axis += 1);
                axes.insert(0, 0);
            }
            Step::Flip(axis) | Step::Every(axis, _) | Step::Stretch(axis, _) => *axis += 1,
            Step::Inset => {}
        }
    }
}

/// The same row with few elements: what a test can afford.
pub(crate) fn shrink(case: &Case) -> Case {
    let most = if case.base.len() > 4 { 5 } else { 19 };
    let mut small = case.clone();
    small.base.iter_mut().for_each(|n| *n = (*n).min(most));
    for step in &mut small.steps {
        if let Step::Stretch(_, n) = step {
            *n = (*n).min(most);
        }
    }
    small
}

/// The same row with the longest axes cut until it has about 64 MiB.
pub(crate) fn cut(case: &Case) -> Case {
    let mut small = case.clone();
    while small.bytes() > 66 << 20 {
        if let Some(first) = small.base.iter_mut().find(|n| **n >= 64) {
            *first /= 2;
        }
    }
    if small.base != case.base {
        small.name = format!("{}, cut to 64 MiB", case.name);
    }
    small
}
