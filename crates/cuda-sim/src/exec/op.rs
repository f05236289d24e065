//! What an instruction is once it is decoded: slots instead of names, functions instead of mnemonics.

/// The 32 values that the lanes of a warp hold in one register, each zero-extended to 64 bits.
pub(crate) type Lanes = [u64; 32];
/// The number of a register of a warp; constants have slots too.
pub(crate) type Slot = u32;
/// The number of a predicate of a warp: one bit a lane.
pub(crate) type Pred = u32;

pub(crate) type Fn1 = fn(&Lanes) -> Lanes;
pub(crate) type Fn2 = fn(&Lanes, &Lanes) -> Lanes;
pub(crate) type Fn3 = fn(&Lanes, &Lanes, &Lanes) -> Lanes;
pub(crate) type Compare = fn(&Lanes, &Lanes) -> u32;

/// One instruction.
#[derive(Debug, Clone)]
pub(crate) struct Instr {
    pub(crate) guard: Option<Guard>,
    pub(crate) op: Op,
    /// Its line in the text.
    pub(crate) line: u32,
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guard {
    pub(crate) pred: Pred,
    pub(crate) negated: bool,
}

/// What holds still while a warp runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Const {
    Value(u64),
    /// The address of a variable of the module.
    Global {
        index: u32,
        offset: u64,
    },
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    WarpCount,
    LaneMask(LaneMask),
    DynamicSharedSize,
    TotalSharedSize,
    /// `.extern .shared`: where the static shared memory ends, rounded up.
    DynamicShared {
        align: u32,
        offset: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LaneMask {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

/// A state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

/// Where a memory instruction goes: the value of a slot, and a constant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub(crate) base: Slot,
    pub(crate) offset: i64,
}

/// One `ld` or `st`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) space: Space,
    /// Bytes of one element: 1, 2, 4 or 8.
    pub(crate) size: u8,
    /// Elements: 1, 2 or 4.
    pub(crate) count: u8,
    /// Sign-extend what is loaded to the register.
    pub(crate) signed: bool,
    /// Not a plain access: `.volatile`, `.relaxed`, `.acquire`, `.release`.
    pub(crate) strong: bool,
    pub(crate) address: Address,
    /// The registers; `Slot::MAX` for `_`.
    pub(crate) slots: [Slot; 4],
    /// The bits of the destination registers.
    pub(crate) masks: [u64; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomOp {
    AddInt,
    AddF32,
    AddF64,
    MinSigned,
    MaxSigned,
    MinUnsigned,
    MaxUnsigned,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Exch,
    Cas,
}

/// One `atom` or `red`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Atomic {
    pub(crate) space: Space,
    pub(crate) op: AtomOp,
    pub(crate) size: u8,
    pub(crate) address: Address,
    /// `None` for `red`.
    pub(crate) d: Option<Slot>,
    pub(crate) x: Slot,
    /// The second operand of `cas`.
    pub(crate) y: Slot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Shfl {
    pub(crate) mode: ShflMode,
    pub(crate) d: Slot,
    pub(crate) p: Option<Pred>,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) mask: Slot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Vote {
    pub(crate) mode: VoteMode,
    /// A register for `ballot`, else a predicate.
    pub(crate) d: u32,
    pub(crate) a: Pred,
    pub(crate) negated: bool,
    pub(crate) mask: Slot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
}

impl Logic {
    pub(crate) fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Logic::And => a & b,
            Logic::Or => a | b,
            Logic::Xor => a ^ b,
        }
    }
}

/// `setp`: a comparison, perhaps combined with another predicate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetPred {
    pub(crate) compare: Compare,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) p: Pred,
    /// Gets the opposite of the comparison.
    pub(crate) q: Option<Pred>,
    pub(crate) combine: Option<(Logic, Guard)>,
}

/// What an instruction does.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Mov { d: Slot, a: Slot },
    Map1 { f: Fn1, d: Slot, a: Slot },
    Map2 { f: Fn2, d: Slot, a: Slot, b: Slot },
    Map3 { f: Fn3, d: Slot, a: Slot, b: Slot, c: Slot },
    BitInsert { bits: u8, d: Slot, a: Slot, b: Slot, c: Slot, e: Slot },
    Lop3 { table: u8, d: Slot, a: Slot, b: Slot, c: Slot },
    SetPred(Box<SetPred>),
    Select { d: Slot, a: Slot, b: Slot, p: Pred },
    PredConst { p: Pred, value: u32 },
    PredNot { p: Pred, a: Pred },
    PredLogic { logic: Logic, p: Pred, a: Pred, b: Pred },
    Pack { d: Slot, bits: u8, parts: Box<[Slot]> },
    Unpack { bits: u8, parts: Box<[Slot]>, a: Slot },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    Shfl(Box<Shfl>),
    Vote(Box<Vote>),
    ActiveMask { d: Slot },
    WarpSync { mask: Slot },
    Barrier { id: Slot },
    Branch { target: u32 },
    BranchIndex { index: Slot, targets: Box<[u32]> },
    Exit,
    Trap,
    Fence,
}

/// Where generic addresses of shared memory begin: far from every allocation.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;
/// Where generic addresses of local memory begin.
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
/// How long both windows are.
pub(crate) const WINDOW: u64 = 1 << 32;
