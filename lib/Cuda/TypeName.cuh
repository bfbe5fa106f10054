constexpr bool cufuse_isName(const char *text, const char *name, unsigned left, bool isAll) {
  return left == 0 ? text[-1] == ' ' || text[-1] == '=' || (!isAll && text[-1] == ':')
                   : text[left - 1] == name[left - 1] && cufuse_isName(text, name, left - 1, isAll);
}
/// Does the compiler call the type so? What a launch would convert, it calls otherwise.
template <typename T> constexpr bool cufuse_isCalled(const char *name, unsigned length, bool isAll) {
  return sizeof(__PRETTY_FUNCTION__) > length + 2 &&
         cufuse_isName(__PRETTY_FUNCTION__ + (sizeof(__PRETTY_FUNCTION__) - length - 2), name, length, isAll);
}
