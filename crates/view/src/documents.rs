//! The project's documents as doc tests: their code blocks run with everybody else's. Never part of a build.

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/guide.md")]
struct Guide;

#[doc = include_str!("../../../docs/worked-examples.md")]
struct WorkedExamples;

#[doc = include_str!("../../../docs/cuda.md")]
struct CudaGuide;

#[doc = include_str!("../../../docs/host.md")]
struct HostGuide;
