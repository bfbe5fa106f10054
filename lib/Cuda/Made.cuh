/// The element that a thread has loaded last, computed and stored.
template <typename T> struct CufuseMade {
  T value;
  long long element = -0x7fffffffffffffff; // none
};
