struct CUFUSE_HEAD {
  CUFUSE_FIELDS;
  /// Takes the value of a CUFUSE_NAME of the kernel's file, copied once, as a launch copies it.
  template <typename T> CUFUSE_NAME &operator=(CUFUSE_TAKEN value) {
    using Value = typename std::decay<T>::type;
    static_assert(std::CUFUSE_KIND && sizeof(Value) == CUFUSE_BYTES && alignof(Value) == CUFUSE_ALIGNMENT CUFUSE_SAME,
                  "this is no CUFUSE_NAME of the kernel's file");
    const Value copy(static_cast<CUFUSE_TAKEN>(value));
    std::memcpy(static_cast<void *>(this), &reinterpret_cast<const unsigned char &>(copy), sizeof(Value));
    return *this;
  }
};
static_assert(sizeof(CUFUSE_NAME) == CUFUSE_BYTES && alignof(CUFUSE_NAME) == CUFUSE_ALIGNMENT CUFUSE_PLACES,
              "CUFUSE_NAME has the places that it has in the kernel's file");
