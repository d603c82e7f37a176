// FileDescriptor: owns one open file and closes it; never shared, never duplicated behind its owner's back.
#pragma once

#include <unistd.h>
#include <utility>

namespace trellis {

class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) reset(std::exchange(other.number_, -1));
        return *this;
    }
    ~FileDescriptor() { reset(); }

    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] bool open() const { return number_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }
    void reset(int number = -1) {
        if (number_ >= 0) ::close(number_);
        number_ = number;
    }

  private:
    int number_ = -1;
};

// Two ends that are connected, close-on-exec: a stream socket pair, or a pipe (first reads, second writes).
// Both closed (-1) if the process has no descriptors left; errno says why.
struct DescriptorPair {
    FileDescriptor first;
    FileDescriptor second;
};
[[nodiscard]] DescriptorPair make_socket_pair();
[[nodiscard]] DescriptorPair make_pipe();

// Programs that are started from now on do not get it.
void close_on_exec(int descriptor);

// Non-blocking from now on.
void set_nonblocking(int descriptor);

}  // namespace trellis
