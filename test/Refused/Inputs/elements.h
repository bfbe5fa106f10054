// Element types that are more than their bytes.
#pragma once

struct Box { // none without a value
  float value;
  __host__ __device__ explicit Box(float value) : value(value) {}
};

struct Lot { // counts its copies
  float value;
  int copies;
  Lot() = default;
  __host__ __device__ Lot(float value, int copies) : value(value), copies(copies) {}
  __host__ __device__ Lot(const Lot &other) : value(other.value), copies(other.copies + 1) {}
  __host__ __device__ Lot &operator=(const Lot &other) {
    value = other.value;
    copies = other.copies + 1;
    return *this;
  }
};

// What is assigned is a part of it.
struct Pixel {
  float value;
  int count;
  __device__ Pixel &operator=(float given) {
    value = given;
    return *this;
  }
};

struct Two {
  float values[2];
  __device__ const float &operator[](int i) const { return values[i]; }
  __device__ const float *data() const { return values; }
  __device__ float sum() const { return values[0] + values[1]; }
};
