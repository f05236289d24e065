//! How a kernel is run: in which order, which blocks, and what is checked on top of bounds and alignment.

/// Whether something is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Check {
    /// Not looked for.
    #[default]
    Off,
    /// Looked for; what is found is in [`crate::exec::Outcome::findings`].
    Report,
}

/// Which blocks of the grid run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Blocks {
    /// All of them.
    #[default]
    All,
    /// These, by their coordinates; those outside of the grid are left out. The grid that a kernel sees is unchanged, so
    /// that the far end of a launch that nobody could run whole can be tested.
    Only(Vec<[u32; 3]>),
}

/// How a launch is run.
///
/// ```
/// use weft_cuda_sim::exec::{Check, Settings};
///
/// let settings = Settings { seed: Some(7), races: Check::Report, ..Settings::default() };
/// assert_eq!(settings.unwritten, Check::Off);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Shuffles blocks, warps and the turns they take; `None`: in order, each warp as far as it gets.
    pub seed: Option<u64>,
    /// Which blocks run.
    pub blocks: Blocks,
    /// Races, in shared and in global memory.
    pub races: Check,
    /// Loads of device or shared memory that nobody wrote.
    pub unwritten: Check,
    /// Instructions of warps after which a launch counts as endless and faults.
    pub step_limit: u64,
    /// Findings of one launch that are kept; the rest are counted.
    pub finding_limit: usize,
}

impl Default for Settings {
    /// In order, all blocks, no races, no unwritten memory, 2^36 steps, 100 findings.
    fn default() -> Settings {
        Settings {
            seed: None,
            blocks: Blocks::All,
            races: Check::Off,
            unwritten: Check::Off,
            step_limit: 1 << 36,
            finding_limit: 100,
        }
    }
}
