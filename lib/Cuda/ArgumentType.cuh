struct CUFUSE_HEAD {
  CUFUSE_FIELDS;
  /// Takes the value of a CUFUSE_NAME of the kernel's file.
  template <typename T> CUFUSE_NAME &operator=(const T &value) {
    static_assert(CUFUSE_KIND && std::is_trivially_copyable<T>::value && sizeof(T) == CUFUSE_BYTES &&
                      alignof(T) == CUFUSE_ALIGNMENT CUFUSE_SAME,
                  "this is no CUFUSE_NAME of the kernel's file");
    std::memcpy(static_cast<void *>(this), &reinterpret_cast<const unsigned char &>(value), sizeof(T));
    return *this;
  }
};
static_assert(sizeof(CUFUSE_NAME) == CUFUSE_BYTES && alignof(CUFUSE_NAME) == CUFUSE_ALIGNMENT CUFUSE_PLACES,
              "CUFUSE_NAME has the places that it has in the kernel's file");
