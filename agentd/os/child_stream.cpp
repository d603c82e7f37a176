#include "agentd/os/child_stream.hpp"

#include "agentd/os/complaint.hpp"

#include <cerrno>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

struct ChildStream::Errors {
    FdStream stream;
    std::string text;
};

Result<std::unique_ptr<ChildStream>> ChildStream::start(const Executor& executor, Children& children,
                                                        ProcessSpec process) {
    DescriptorPair ends = make_socket_pair();
    DescriptorPair errors = make_pipe();
    if (!ends.first.open() || !errors.first.open())
        return Failure{FailureKind::cannot_start, "start process", "", std::strerror(errno)};
    ChildSpec spec;
    spec.process = std::move(process);
    spec.input = spec.output = ends.second.get();
    spec.error = errors.second.get();
    Result<std::unique_ptr<Child>> child = children.start(spec);
    if (!child) return child.error();
    return std::unique_ptr<ChildStream>(
        new ChildStream(executor, std::move(*child), std::move(ends.first), std::move(errors.first)));
}

ChildStream::ChildStream(const Executor& executor, std::unique_ptr<Child> child, FileDescriptor both,
                         FileDescriptor errors)
    : child_(std::move(child)),
      stream_(executor, std::move(both)),
      errors_(new Errors{FdStream(executor, std::move(errors)), ""}) {
    asio::co_spawn(executor, collect(errors_), asio::detached);
}

ChildStream::~ChildStream() {
    errors_->stream.close();
}

std::string ChildStream::complaint() const {
    return errors_->text;
}

Task<void> ChildStream::collect(std::shared_ptr<Errors> errors) {
    for (;;) {
        const Result<std::string> bytes = co_await errors->stream.read();
        if (!bytes || bytes->empty()) co_return;
        add_complaint(errors->text, *bytes);
    }
}

}  // namespace trellis
