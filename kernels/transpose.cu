// Family transpose: copies where `dst` and `src` each move densely, but along different axes.
//
//     weft_transpose_b<size>_<i32|i64>(tiles over [dst, src], dst, src)
//
// A block of 32 x 8 threads moves a tile of 32 x 32 elements through shared memory: it reads along the axis on which
// `src` is dense and writes along the one on which `dst` is. A row of the tile has one element of padding, so that reading
// it by columns meets every bank once, for every element size. All other axes are a batch.
#include "plan.cuh"

enum { TILE = 32, TILE_ROWS = 8 };

// The plan of a launch, split: `inner` is the axis on which `dst` is dense, `across` the one on which `src` is.
struct Tiles {
    // The number of tiles: those of one matrix times the steps of `outer`.
    Index tiles;
    Index inner;
    Index inner_strides[2];
    Index across;
    Index across_strides[2];
    // How many tiles lie along each of the two axes.
    Divider inner_tiles;
    Divider across_tiles;
    // Where the matrices start.
    Unravel<2, MAX_AXES - 2> outer;
};

static_assert(sizeof(Tiles) == BY_WIDTH(28 + 2 * 16 + 24 + 5 * 24, 56 + 2 * 24 + 48 + 5 * 40), "Tiles");
static_assert(OFFSET_OF(Tiles, inner_tiles) == BY_WIDTH(28, 56), "inner_tiles");
static_assert(OFFSET_OF(Tiles, outer) == BY_WIDTH(60, 104), "outer");

template <typename Element>
__device__ __forceinline__ void transpose(const Tiles& plan, Element* dst, const Element* src,
                                          Element (*tile)[TILE + 1]) {
    const u32 x = threadIdx.x, y = threadIdx.y;
    for (Index number = blockIdx.x; number < plan.tiles; number += gridDim.x) {
        const Index row = plan.inner_tiles.div(number);
        const Index matrix = plan.across_tiles.div(row);
        const Index inner = plan.inner_tiles.rem(number, row) * TILE;
        const Index across = plan.across_tiles.rem(row, matrix) * TILE;
        const Offsets<2> start = plan.outer.offsets(matrix);
#pragma unroll
        for (u32 rows = 0; rows < TILE; rows += TILE_ROWS) {
            const Index i = inner + y + rows, a = across + x;
            if (i < plan.inner && a < plan.across) {
                tile[y + rows][x] = src[start.at[1] + i * plan.inner_strides[1] + a * plan.across_strides[1]];
            }
        }
        __syncthreads();
#pragma unroll
        for (u32 rows = 0; rows < TILE; rows += TILE_ROWS) {
            const Index i = inner + x, a = across + y + rows;
            if (i < plan.inner && a < plan.across) {
                dst[start.at[0] + i * plan.inner_strides[0] + a * plan.across_strides[0]] = tile[x][y + rows];
            }
        }
        // The next tile overwrites what a slower thread may still be reading.
        __syncthreads();
    }
}

#define TRANSPOSE(SIZE)                                                                                      \
    ENTRY(TILE * TILE_ROWS, transpose_b##SIZE)                                                               \
    (const __grid_constant__ Tiles plan, b##SIZE* dst, const b##SIZE* src) {                                 \
        __shared__ b##SIZE tile[TILE][TILE + 1];                                                             \
        transpose(plan, dst, src, tile);                                                                     \
    }
FOR_EACH_SIZE(TRANSPOSE)
