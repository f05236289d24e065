//! How the simulated driver is set up: by a value in a test, by the environment for the library.

use super::codes::UNKNOWN;
use super::space::MOST_DEVICES;
use crate::exec::{Blocks, Check};

/// The settings of the simulated driver. Take [`Config::default`] and change what matters:
///
/// ```
/// use weft_cuda_sim::{Config, Streams, configure};
///
/// configure(Config { devices: 1, memory: 1 << 20, streams: Streams::Deferred, ..Config::default() });
/// # configure(Config::default());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How many devices there are, 2 by default and 8 at most. With 0, `cuInit` succeeds and `cuDeviceGetCount` answers 0.
    pub devices: u32,
    /// Memory of each device in bytes, 1 GiB by default. What does not fit is refused with code 2.
    pub memory: usize,
    /// Allocations of at least so many bytes are virtual: bounds are checked, but no bytes are kept. None by default.
    pub virtual_from: usize,
    /// The driver's version as major and minor, (12, 4) by default. PTX newer than it is refused with code 222.
    pub driver_version: (u32, u32),
    /// What `cuInit` answers, 0 by default. 100 is a machine without a device, 999 a driver that does not start.
    pub init_code: u32,
    /// When queued work runs, immediately by default.
    pub streams: Streams,
    /// The order in which blocks and warps of a launch run: `None` in order, or shuffled by a seed.
    pub seed: Option<u64>,
    /// Which blocks of a launch run, all by default; see [`choose_blocks`](crate::choose_blocks).
    pub blocks: Blocks,
    /// Whether races between threads of a launch are looked for; by default they are not, because it costs time.
    pub races: Check,
    /// Whether loads of memory that nobody wrote are looked for; by default they are not.
    pub unwritten: Check,
    /// What is kept of each call, nothing by default.
    pub trace: Trace,
}

/// When work that was queued on a stream runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Before the call that queues it returns.
    Immediate,
    /// As late as the driver may: when a synchronising call needs it, and no other work with it.
    Deferred,
    /// As late as that, but together with work of other streams, interleaved by this seed.
    Shuffled(u64),
}

/// What is kept of each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing but counts.
    Off,
    /// One [`Event`](crate::Event) a call, until [`take_trace`](crate::take_trace).
    Kept,
    /// A line a call on stderr.
    Printed,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            devices: 2,
            memory: 1 << 30,
            virtual_from: usize::MAX,
            driver_version: (12, 4),
            init_code: 0,
            streams: Streams::Immediate,
            seed: None,
            blocks: Blocks::All,
            races: Check::Off,
            unwritten: Check::Off,
            trace: Trace::Off,
        }
    }
}

/// The variables that set up a process that has not called [`configure`](crate::configure): name, form, meaning.
pub const VARIABLES: [(&str, &str, &str); 12] = [
    ("WEFT_CUDA_SIM_DEVICES", "a count from 0 to 8", "how many devices there are (2)"),
    ("WEFT_CUDA_SIM_MEMORY", "bytes, or a number with K, M or G", "memory of each device (1G)"),
    (
        "WEFT_CUDA_SIM_VIRTUAL",
        "bytes, or a number with K, M or G",
        "allocations from this size on are bounds-checked, not backed (none)",
    ),
    ("WEFT_CUDA_SIM_DRIVER", "major.minor", "the driver's version (12.4)"),
    ("WEFT_CUDA_SIM_INIT", "code", "what cuInit answers (0)"),
    ("WEFT_CUDA_SIM_DEFERRED", "0 or 1", "run queued work at synchronising calls only (0)"),
    ("WEFT_CUDA_SIM_SEED", "number", "shuffle blocks, and deferred work of different streams (in order)"),
    ("WEFT_CUDA_SIM_RACES", "0 or 1", "look for races within a launch (0)"),
    ("WEFT_CUDA_SIM_UNWRITTEN", "0 or 1", "look for loads of memory that nobody wrote (0)"),
    ("WEFT_CUDA_SIM_TRACE", "0 or 1", "print every call to stderr (0)"),
    ("WEFT_CUDA_SIM_FAIL", "n:code or name:n:code", "make the n-th call (of that name) fail with a code"),
    ("WEFT_CUDA_SIM_REPORT", "0 or 1", "print faults and leaks to stderr when the process ends (0)"),
];

/// What the environment asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) config: Config,
    pub(crate) fail: Option<(Option<String>, u64, u32)>,
    pub(crate) report: bool,
    /// What could not be read, one sentence each. The driver then refuses to start: a setting that is ignored is a test that
    /// tests something else.
    pub(crate) complaints: Vec<String>,
}

impl Environment {
    /// Reads the variables through `get`.
    pub(crate) fn read(get: impl Fn(&str) -> Option<String>) -> Self {
        let mut complaints = Vec::new();
        let defaults = Config::default();
        let read = |name: &str| get(name).filter(|v| !v.is_empty()).map(|v| (name.to_owned(), v));
        let devices =
            parsed(read("WEFT_CUDA_SIM_DEVICES"), &mut complaints, |v| v.parse().ok().filter(|n| *n <= MOST_DEVICES));
        let memory = parsed(read("WEFT_CUDA_SIM_MEMORY"), &mut complaints, bytes);
        let virtual_from = parsed(read("WEFT_CUDA_SIM_VIRTUAL"), &mut complaints, bytes);
        let version = parsed(read("WEFT_CUDA_SIM_DRIVER"), &mut complaints, |v| {
            let (major, minor) = v.split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok().filter(|m| *m < 100)?))
        });
        let init_code = parsed(read("WEFT_CUDA_SIM_INIT"), &mut complaints, |v| v.parse().ok());
        let deferred = parsed(read("WEFT_CUDA_SIM_DEFERRED"), &mut complaints, switch).unwrap_or(false);
        let seed = parsed(read("WEFT_CUDA_SIM_SEED"), &mut complaints, |v| v.parse().ok());
        let races = parsed(read("WEFT_CUDA_SIM_RACES"), &mut complaints, switch).unwrap_or(false);
        let unwritten = parsed(read("WEFT_CUDA_SIM_UNWRITTEN"), &mut complaints, switch).unwrap_or(false);
        let trace = parsed(read("WEFT_CUDA_SIM_TRACE"), &mut complaints, switch).unwrap_or(false);
        let fail = parsed(read("WEFT_CUDA_SIM_FAIL"), &mut complaints, injection);
        let report = parsed(read("WEFT_CUDA_SIM_REPORT"), &mut complaints, switch).unwrap_or(false);
        let mut config = Config {
            devices: devices.unwrap_or(defaults.devices),
            memory: memory.unwrap_or(defaults.memory),
            virtual_from: virtual_from.unwrap_or(defaults.virtual_from),
            driver_version: version.unwrap_or(defaults.driver_version),
            init_code: init_code.unwrap_or(defaults.init_code),
            streams: match (deferred, seed) {
                (false, _) => Streams::Immediate,
                (true, None) => Streams::Deferred,
                (true, Some(seed)) => Streams::Shuffled(seed),
            },
            seed,
            blocks: Blocks::All,
            races: check(races),
            unwritten: check(unwritten),
            trace: if trace { Trace::Printed } else { Trace::Off },
        };
        if !complaints.is_empty() {
            config.init_code = UNKNOWN;
        }
        Self { config, fail, report, complaints }
    }
}

fn parsed<T>(
    setting: Option<(String, String)>,
    complaints: &mut Vec<String>,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let (name, value) = setting?;
    let result = parse(&value);
    if result.is_none() {
        let form = VARIABLES.iter().find(|(n, _, _)| *n == name).map_or("another form", |(_, form, _)| form);
        complaints.push(format!("{name}={value}: not {form}"));
    }
    result
}

fn check(wanted: bool) -> Check {
    if wanted { Check::Report } else { Check::Off }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn bytes(value: &str) -> Option<usize> {
    let (digits, shift) = match value.as_bytes().last()? {
        b'K' => (&value[..value.len() - 1], 10),
        b'M' => (&value[..value.len() - 1], 20),
        b'G' => (&value[..value.len() - 1], 30),
        _ => (value, 0),
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << shift)
}

fn injection(value: &str) -> Option<(Option<String>, u64, u32)> {
    let mut parts = value.rsplitn(3, ':');
    let code = parts.next()?.parse().ok()?;
    let nth = parts.next()?.parse().ok().filter(|n| *n > 0)?;
    Some((parts.next().map(str::to_owned), nth, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Environment {
        Environment::read(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn nothing_set_is_the_default() {
        let found = read(&[]);
        assert_eq!(found.config, Config::default());
        assert_eq!((found.fail, found.report, found.complaints.len()), (None, false, 0));
    }

    #[test]
    fn every_variable_is_read() {
        let found = read(&[
            ("WEFT_CUDA_SIM_DEVICES", "3"),
            ("WEFT_CUDA_SIM_MEMORY", "64M"),
            ("WEFT_CUDA_SIM_VIRTUAL", "4096"),
            ("WEFT_CUDA_SIM_DRIVER", "12.2"),
            ("WEFT_CUDA_SIM_INIT", "100"),
            ("WEFT_CUDA_SIM_DEFERRED", "1"),
            ("WEFT_CUDA_SIM_SEED", "7"),
            ("WEFT_CUDA_SIM_RACES", "1"),
            ("WEFT_CUDA_SIM_UNWRITTEN", "1"),
            ("WEFT_CUDA_SIM_TRACE", "1"),
            ("WEFT_CUDA_SIM_FAIL", "cuMemAlloc_v2:2:2"),
            ("WEFT_CUDA_SIM_REPORT", "1"),
        ]);
        let expected = Config {
            devices: 3,
            memory: 64 << 20,
            virtual_from: 4096,
            driver_version: (12, 2),
            init_code: 100,
            streams: Streams::Shuffled(7),
            seed: Some(7),
            blocks: Blocks::All,
            races: Check::Report,
            unwritten: Check::Report,
            trace: Trace::Printed,
        };
        assert_eq!(found.config, expected);
        assert_eq!(found.fail, Some((Some("cuMemAlloc_v2".into()), 2, 2)));
        assert!(found.report);
        assert_eq!(read(&[("WEFT_CUDA_SIM_FAIL", "5:999")]).fail, Some((None, 5, 999)));
        assert_eq!(read(&[("WEFT_CUDA_SIM_DEFERRED", "1")]).config.streams, Streams::Deferred);
    }

    #[test]
    fn what_cannot_be_read_keeps_the_driver_from_starting() {
        for (name, form, _) in VARIABLES {
            let found = read(&[(name, "x")]);
            assert_eq!(found.complaints, [format!("{name}=x: not {form}")]);
            assert_eq!(found.config.init_code, UNKNOWN);
        }
    }
}
