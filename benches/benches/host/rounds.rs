//! Rounds: in each, every contender runs once after the other, so that what disturbs one disturbs its neighbours too.

use core::time::Duration;

use crate::arena::{Arena, Number};
use crate::contender::Contender;

/// How long a row is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How many rounds, out of cache and in cache.
    pub(crate) rounds: [usize; 2],
    /// A contender is run so often in a round that it takes this long.
    pub(crate) sample: Duration,
    /// A peer that takes more than this many times as long as memcpy is measured in one round out of three.
    pub(crate) slow: f64,
}

/// What one contender needed: medians over the rounds that it was part of.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    pub(crate) name: &'static str,
    pub(crate) threads: usize,
    pub(crate) seconds: f64,
    /// Times of memcpy: the time of memcpy in the same round by its own.
    pub(crate) ratio: f64,
}

/// Measures them; memcpy is the first. The error names who computes something else.
pub(crate) fn measure<T: Number>(
    arena: &mut Arena<T>,
    contenders: &mut [Box<dyn Contender<T>>],
    in_cache: bool,
    patience: Patience,
) -> Result<Vec<Time>, String> {
    for contender in contenders.iter_mut() {
        if !contender.check(arena) {
            return Err(format!("{} with {} threads computes something else", contender.name(), contender.threads()));
        }
    }
    // Warm by the check; this run says how often each has to run.
    let single: Vec<f64> = contenders.iter_mut().map(|c| c.time(arena, 1).as_secs_f64().max(1e-8)).collect();
    let times = |seconds: f64| ((patience.sample.as_secs_f64() / seconds) as usize).clamp(1, 100_000);
    let rounds = patience.rounds[usize::from(in_cache)];
    let mut seconds = vec![Vec::new(); contenders.len()];
    let mut ratios = vec![Vec::new(); contenders.len()];
    for round in 0..rounds {
        let mut of_round = vec![None; contenders.len()];
        for turn in 0..contenders.len() {
            // Another one begins in each round.
            let who = (turn + round) % contenders.len();
            let is_ours = matches!(contenders[who].name(), "memcpy" | "weft" | "prepared");
            if is_ours || round % 3 == 0 || single[who] < patience.slow * single[0] {
                let times = times(single[who]);
                of_round[who] = Some(contenders[who].time(arena, times).as_secs_f64() / times as f64);
            }
        }
        let memcpy = of_round[0].unwrap_or(f64::NAN);
        for (who, time) in of_round.into_iter().enumerate() {
            if let Some(time) = time {
                seconds[who].push(time);
                ratios[who].push(memcpy / time);
            }
        }
    }
    let mut measured = Vec::new();
    for (who, contender) in contenders.iter().enumerate() {
        measured.push(Time {
            name: contender.name(),
            threads: contender.threads(),
            seconds: median(&mut seconds[who]),
            ratio: median(&mut ratios[who]),
        });
    }
    Ok(measured)
}

pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n == 0 { f64::NAN } else { (values[(n - 1) / 2] + values[n / 2]) / 2.0 }
}
