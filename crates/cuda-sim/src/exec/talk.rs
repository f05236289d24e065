//! What the lanes of a warp tell each other: shuffles and votes, once all of them are there.

use super::block::{Block, mask_of};
use super::op::{Instr, Shfl, ShflMode, Vote, VoteMode};
use super::run::Run;
use super::warp::{Warp, each};
use super::{Fault, FaultCode};

/// `shfl.sync`: every lane takes the value of another, or keeps its own where there is no other in its segment.
pub(super) fn shuffle(
    warp: &mut Warp,
    run: &Run<'_>,
    block: &Block,
    ins: &Instr,
    shuffle: &Shfl,
    active: u32,
) -> Result<(), Fault> {
    let values = warp.registers[shuffle.a as usize];
    let (bs, cs) = (warp.registers[shuffle.b as usize], warp.registers[shuffle.c as usize]);
    let (mut result, mut found) = (values, 0u32);
    for lane in each(active) {
        let (own, b, c) = (lane as u32, bs[lane] as u32 & 31, cs[lane] as u32);
        let (clamp, segment) = (c & 31, c >> 8 & 31);
        let last = own & segment | clamp & !segment;
        let first = own & segment;
        let (from, inside) = match shuffle.mode {
            // `last` is the lowest lane here.
            ShflMode::Up => (own.wrapping_sub(b), own.checked_sub(b).is_some_and(|from| from >= last)),
            ShflMode::Down => (own + b, own + b <= last),
            ShflMode::Bfly => (own ^ b, (own ^ b) <= last),
            ShflMode::Idx => (first | b & !segment, (first | b & !segment) <= last),
        };
        if !inside {
            continue;
        }
        if active >> from & 1 == 0 {
            let what = format!("it reads lane {from}, which does not take part");
            return Err(warp.fault(run, block, ins, 1 << lane, FaultCode::LaunchFailed, &what));
        }
        result[lane] = values[from as usize];
        found |= 1 << lane;
    }
    warp.set(shuffle.d, active, |_| result);
    if let Some(p) = shuffle.p {
        warp.set_predicate(p, active, found);
    }
    Ok(())
}

/// `vote.sync`.
pub(super) fn vote(warp: &mut Warp, vote: &Vote, active: u32) {
    let yes = mask_of(&warp.predicates, vote.a, vote.negated) & active;
    let all = |agreed: bool| if agreed { u32::MAX } else { 0 };
    match vote.mode {
        VoteMode::All => warp.set_predicate(vote.d, active, all(yes == active)),
        VoteMode::Any => warp.set_predicate(vote.d, active, all(yes != 0)),
        VoteMode::Uni => warp.set_predicate(vote.d, active, all(yes == 0 || yes == active)),
        VoteMode::Ballot => warp.set(vote.d, active, |_| [u64::from(yes); 32]),
    }
}
