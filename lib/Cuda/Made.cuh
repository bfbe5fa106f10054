/// The element that a thread has computed last, and stored.
template <typename T> struct CufuseMade {
  T value;
  long long element = -1;
};
