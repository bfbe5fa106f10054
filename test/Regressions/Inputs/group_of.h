#pragma once
template <typename T> struct Pair {
  T first, second;
};
template <typename... T> struct Group;
template <typename T, typename U> struct Group<T, U> {
  T a;
  U b;
};
