//! The operations that errors name.

/// Declares [`Op`] and the name under which each operation is printed.
macro_rules! ops {
    ($($variant:ident $name:literal,)*) => {
        /// An operation of this crate, as errors name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Op {
            /// The name of the operation as a caller writes it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
        }
    };
}

ops! {
    AsStrided "as_strided",
    BlasGemm "blas::gemm",
    BlasOperand "blas::operand",
    BroadcastShapes "broadcast_shapes",
    BroadcastTo "broadcast_to",
    ByteStrides "byte_strides",
    Chunks "chunks",
    ColMajor "col_major",
    CoordsOfLinear "coords_of_linear",
    CopyPlan "copy_plan",
    Diagonal "diagonal",
    Fits "fits",
    Flatten "flatten",
    Flip "flip",
    FromByteStrides "from_byte_strides",
    FromParts "from_parts",
    Get "get",
    Lines "lines_touched",
    MoveAxis "move_axis",
    Narrow "narrow",
    OffsetOf "offset_of",
    OffsetOfLinear "offset_of_linear",
    Pad "pad",
    Permute "permute",
    Plan "plan",
    Recast "recast",
    Record "record",
    Reduce "reduce_plan",
    Reshape "reshape",
    RowMajor "row_major",
    Select "select",
    Shrink "shrink",
    Slice "slice",
    SplitAt "split_at",
    Squeeze "squeeze",
    Step "step",
    T "t",
    Transpose "transpose",
    Unflatten "unflatten",
    Unsqueeze "unsqueeze",
    Windows "windows",
    WithOrder "with_order",
}
