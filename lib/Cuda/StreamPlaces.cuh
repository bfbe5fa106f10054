/// Where no array tells launches that run at once from each other: those of a stream follow each other, and what is
/// captured has a place of its own, since graphs may run at once.
static cudaError_t placeOf(unsigned &place, cudaStream_t stream) {
  static std::atomic<size_t> captured{0};
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error == cudaSuccess && status == cudaStreamCaptureStatusNone)
    error = cudaStreamGetId(stream, &id);
  if (error != cudaSuccess)
    return error;
  const size_t key = status == cudaStreamCaptureStatusNone ? id * 512 + 512 : captured++ * 512 + 256;
  return placeOf(place, reinterpret_cast<const void *>(key));
}
