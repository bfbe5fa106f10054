// What the launcher of every output asks the driver, compiled for the CPU: a driver that counts, and that forgets and fails
// as the real one does.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace {

enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue = 1,
  cudaErrorNoDevice = 100,
  cudaErrorLaunchOutOfResources = 701
};
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  int maxDynamicSharedSizeBytes;
};

constexpr std::size_t StaticBytes = 1000, MostBytes = 227 * 1024, UnaskedBytes = 48 * 1024 - StaticBytes;

/// What the driver keeps, and how often it was asked for more than the device.
struct Driver {
  std::mutex Lock;
  std::map<std::pair<int, const void *>, int> Limits;
  int Asked = 0, Set = 0;
  bool Fails = false;
  cudaError_t Last = cudaSuccess;
} driver;
thread_local int currentDevice = 0;

cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice;
  return cudaSuccess;
}
cudaError_t asked() {
  ++driver.Asked;
  return driver.Fails ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  const std::lock_guard Guard(driver.Lock);
  *value = attribute == cudaDevAttrMultiProcessorCount ? 100 + device : MostBytes;
  return asked();
}
int limitOf(const void *kernel) {
  const auto Known = driver.Limits.find({currentDevice, kernel});
  return Known == driver.Limits.end() ? UnaskedBytes : Known->second;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
  const std::lock_guard Guard(driver.Lock);
  *attributes = {StaticBytes, limitOf(kernel)};
  return asked();
}
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int value) {
  const std::lock_guard Guard(driver.Lock);
  ++driver.Set;
  if (value + StaticBytes > MostBytes)
    return cudaErrorInvalidValue;
  driver.Limits[{currentDevice, kernel}] = value;
  return asked();
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, std::size_t bytes) {
  const std::lock_guard Guard(driver.Lock);
  *blocks = MostBytes / (bytes + StaticBytes);
  return asked();
}
cudaError_t cudaGetLastError() { return std::exchange(driver.Last, cudaSuccess); }

#define CUFUSE_DYNAMIC
#define CUFUSE_RESIDENT 256
#include "../../lib/Cuda/SharedMemory.cuh"

#include "../../lib/Cuda/Driver.cuh"

const int Kernels[2] = {};

struct LaunchAsked : testing::Test {
  /// As a launcher does it. The answers of earlier tests are those of other kernels.
  cudaError_t launch(std::size_t Bytes, const void *Kernel) {
    if (const cudaError_t Error = askDriver(Answer, Kernel, Bytes))
      return Error;
    return launchAsked(Answer, [&] {
      const std::lock_guard Guard(driver.Lock);
      ++Launches;
      return driver.Last = static_cast<int>(Bytes) > limitOf(Kernel) ? cudaErrorInvalidValue : cudaSuccess;
    });
  }
  cudaError_t launch(std::size_t Bytes) { return launch(Bytes, Memory.get()); }
  int sinceLast() { return std::exchange(driver.Asked, 0); }
  void SetUp() override {
    static std::vector<std::unique_ptr<char>> Kept; // no kernel has another's address
    Kept.push_back(std::make_unique<char>());
    Memory = std::unique_ptr<char, void (*)(char *)>(Kept.back().get(), [](char *) {});
    driver.Limits.clear();
    driver.Asked = driver.Set = 0;
    driver.Fails = false;
    driver.Last = cudaSuccess;
    currentDevice = 0;
  }
  std::unique_ptr<char, void (*)(char *)> Memory{nullptr, nullptr};
  CufuseAsked Answer{};
  std::atomic<int> Launches = 0;
};

TEST_F(LaunchAsked, TheDriverIsAskedOncePerSize) {
  for (std::size_t Bytes : {1000, 100000, 1024}) {
    EXPECT_EQ(launch(Bytes), cudaSuccess);
    EXPECT_GT(sinceLast(), 0);
    EXPECT_EQ(Answer.resident, int(MostBytes / (Bytes + StaticBytes)));
  }
  for (int I = 0; I < 10; ++I)
    for (std::size_t Bytes : {1000, 100000, 1024})
      EXPECT_EQ(launch(Bytes), cudaSuccess);
  EXPECT_EQ(sinceLast(), 0);
}

TEST_F(LaunchAsked, WhatEveryKernelMayHaveIsNotAskedFor) {
  EXPECT_EQ(launch(UnaskedBytes), cudaSuccess);
  EXPECT_EQ(driver.Set, 0);
  EXPECT_EQ(launch(UnaskedBytes + 1), cudaSuccess);
  EXPECT_EQ(driver.Set, 1);
}

TEST_F(LaunchAsked, ALargerSizeLeavesRoomForEveryOther) {
  EXPECT_EQ(launch(60000), cudaSuccess);
  EXPECT_EQ(launch(200000), cudaSuccess);
  EXPECT_EQ(launch(60000), cudaSuccess);
  EXPECT_EQ(driver.Set, 1);
  EXPECT_EQ(Launches, 3);
}

TEST_F(LaunchAsked, EveryDeviceIsAskedHoweverManyThereAre) {
  for (int Round = 0; Round < 2; ++Round)
    for (int Device : {0, 1, 31, 32, 1000, 0, 64}) {
      currentDevice = Device;
      ASSERT_EQ(launch(100000), cudaSuccess) << Device;
      EXPECT_EQ(Answer.multiprocessors, 100 + Device);
    }
  EXPECT_EQ(driver.Limits.size(), 6u);
  sinceLast();
  for (int Device : {1, 31, 1, 31}) {
    currentDevice = Device;
    EXPECT_EQ(launch(100000), cudaSuccess);
  }
  EXPECT_EQ(sinceLast(), 0);
}

TEST_F(LaunchAsked, KernelsHaveAnswersOfTheirOwn) {
  EXPECT_EQ(launch(100000, &Kernels[0]), cudaSuccess);
  EXPECT_EQ(launch(100000, &Kernels[1]), cudaSuccess);
  EXPECT_EQ(driver.Limits.size(), 2u);
}

TEST_F(LaunchAsked, ErrorsAreNotRemembered) {
  driver.Fails = true;
  EXPECT_EQ(launch(100000), cudaErrorNoDevice);
  driver.Fails = false;
  EXPECT_EQ(launch(100000), cudaSuccess);
  EXPECT_EQ(launch(MostBytes), cudaErrorInvalidValue);
  EXPECT_EQ(launch(MostBytes), cudaErrorInvalidValue);
  EXPECT_EQ(launch(MostBytes - StaticBytes), cudaSuccess);
  EXPECT_EQ(Launches, 2);
}

TEST_F(LaunchAsked, AfterAResetOfTheDeviceTheDriverIsToldAgain) {
  EXPECT_EQ(launch(100000), cudaSuccess);
  driver.Limits.clear();
  EXPECT_EQ(launch(100000), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(Launches, 3);
  EXPECT_EQ(launch(100000), cudaSuccess);
  EXPECT_EQ(Launches, 4);
}

TEST_F(LaunchAsked, ThreadsMayLaunchInDifferentSizesAtTheSameTime) {
  std::atomic<int> Failed = 0;
  std::vector<std::thread> Threads;
  for (std::size_t T = 0; T < 8; ++T)
    Threads.emplace_back([&, T] {
      for (std::size_t I = 0; I < 1000; ++I) {
        CufuseAsked Own{};
        const std::size_t Bytes = 10000 + (T * 7919 + I * 104729) % 200000;
        currentDevice = I % 3;
        const void *Kernel = Memory.get();
        if (askDriver(Own, Kernel, Bytes) != cudaSuccess || Own.device != currentDevice || Own.dynamicBytes != Bytes)
          ++Failed;
        const std::lock_guard Guard(driver.Lock);
        Failed += static_cast<int>(Bytes) > limitOf(Kernel);
      }
    });
  for (std::thread &Thread : Threads)
    Thread.join();
  EXPECT_EQ(Failed, 0);
  EXPECT_LE(driver.Set, 3 * 8); // each thread may have seen the limit before another raised it
}

} // namespace
