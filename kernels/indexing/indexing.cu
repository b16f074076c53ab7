// Row and column of an element: by a division per element, and from the grid.

__device__ __forceinline__ float element(int row, int column) { return 4096.0f * float(row) + float(column); }

extern "C" __global__ void index_division(float* data, int rows, int columns)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += stride) {
        data[i] = element(i / columns, i % columns);
    }
}

extern "C" __global__ void index_stride(float* data, int rows, int columns, int stride)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        data[row * stride + column] = element(row, column);
    }
}
