#include "tests/sim/sim_files.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis::sim {
namespace {

Failure absent(const std::string& path) {
    return {FailureKind::unavailable, "", "", path + ": No such file or directory"};
}

std::string parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

// A file that is open stays what it is when its name changes or goes.
class SimFile final : public OpenFile {
  public:
    SimFile(SimFiles& files, std::shared_ptr<SimFiles::Node> node, std::string path)
        : files_(files), node_(std::move(node)), path_(std::move(path)) {}
    ~SimFile() override {
        if (claims_) node_->claimed = false;
    }
    SimFile(const SimFile&) = delete;
    SimFile& operator=(const SimFile&) = delete;

    Result<std::string> read(std::uint64_t offset, std::size_t size) override {
        return node_->content.read(offset, size);
    }
    Result<void> write(std::uint64_t offset, std::string_view bytes) override {
        Result<void> room = make_room(std::max(node_->content.size(), offset + bytes.size()));
        if (room) node_->content.write(offset, bytes);
        return room;
    }
    Result<void> resize(std::uint64_t size) override {
        Result<void> room = make_room(size);
        if (room) node_->content.resize(size);
        return room;
    }
    Result<void> flush() override {
        if (files_.used_ <= files_.capacity_) return {};
        return Failure{FailureKind::unavailable, "", "", path_ + ": Disk quota exceeded"};
    }
    bool claim() override {
        if (!claims_ && node_->claimed) return false;
        claims_ = node_->claimed = true;
        return true;
    }

  private:
    Result<void> make_room(std::uint64_t size) {
        const std::uint64_t used = files_.used_ - node_->status.size + size;
        if (used > files_.capacity_ && !files_.late_)
            return Failure{FailureKind::unavailable, "", "", path_ + ": No space left on device"};
        files_.used_ = used;
        node_->status.size = size;
        return {};
    }

    SimFiles& files_;
    std::shared_ptr<SimFiles::Node> node_;
    std::string path_;
    bool claims_ = false;
};

SimFiles::SimFiles() {
    for (const char* directory : {"/", "/home", "/tmp"})
        nodes_[directory] = std::make_shared<Node>(Node{{FileType::directory, 0755, 0, 0, ""}, {}});
}

std::string SimFiles::whole(const std::string& path) {
    std::string full = path.starts_with('/') ? path : "/home/" + path;
    while (full.size() > 1 && full.ends_with('/'))
        full.pop_back();
    while (full.ends_with("/.") && full.size() > 2)
        full.resize(full.size() - 2);
    for (std::size_t at = 0; (at = full.find("/./")) != std::string::npos;)
        full.erase(at, 2);
    return full;
}

void SimFiles::put(const std::string& path, std::string_view content, std::uint32_t mode) {
    const auto node = nodes_[whole(path)] = std::make_shared<Node>();
    used_ += content.size();
    node->status = {FileType::file, mode, 1'600'000'000'000'000'000, content.size(), ""};
    node->content.write(0, content);
}

void SimFiles::put_directory(const std::string& path) {
    nodes_[whole(path)] = std::make_shared<Node>(Node{{FileType::directory, 0755, 0, 0, ""}, {}});
}

std::string SimFiles::content(const std::string& path) const {
    const auto node = nodes_.find(whole(path));
    if (node == nodes_.end()) throw std::logic_error("no file " + path);
    const SimContent& content = node->second->content;
    return content.read(0, content.size());
}

bool SimFiles::holds(const std::string& path, std::string_view content) const {
    const auto node = nodes_.find(whole(path));
    return node != nodes_.end() && node->second->content == content;
}

std::vector<std::string> SimFiles::paths() const {
    std::vector<std::string> all;
    for (const auto& [path, node] : nodes_)
        if (path != "/" && path != "/home" && path != "/tmp") all.push_back(path);
    return all;
}

Result<FileStatus> SimFiles::link_status(const std::string& path) {
    const auto node = nodes_.find(whole(path));
    return node == nodes_.end() ? FileStatus{} : node->second->status;
}

Result<FileStatus> SimFiles::status(const std::string& path) {
    Result<FileStatus> found = link_status(path);
    if (found->type != FileType::link) return found;
    const std::string& target = found->target;
    return status(target.starts_with('/') ? target : parent(whole(path)) + "/" + target);
}

void SimFiles::release_claims() {
    for (const auto& [path, node] : nodes_)
        node->claimed = false;
}

// A block of 4 KiB that holds only zeros is a hole.
Result<Footprint> SimFiles::footprint(const std::string& path) {
    const auto node = nodes_.find(whole(path));
    if (node == nodes_.end()) return absent(path);
    Footprint found{node->second->content.blocks(), !foreign_.contains(whole(path))};
    if (node->second->names > 1) found.shared = {0, reinterpret_cast<std::uintptr_t>(node->second.get())};
    return found;
}

Result<std::vector<std::string>> SimFiles::list(const std::string& directory) {
    const std::string above = whole(directory);
    if (!nodes_.contains(above)) return absent(directory);
    std::vector<std::string> names;
    for (const auto& [path, node] : nodes_)
        if (path != "/" && parent(path) == above) names.push_back(path.substr(path.rfind('/') + 1));
    return names;
}

Result<void> SimFiles::may_change(const std::string& path) const {
    const std::string above = parent(whole(path));
    if (!nodes_.contains(above)) return absent(path);
    const bool closed = (nodes_.at(above)->status.mode & 0200) == 0;
    const bool forbidden =
        closed || std::any_of(read_only_.begin(), read_only_.end(), [&](const std::string& each) {
            return above == each || above.starts_with(each + "/");
        });
    if (forbidden) return Failure{FailureKind::refused, "", "", path + ": Permission denied"};
    return {};
}

Result<std::shared_ptr<SimFiles::Node>> SimFiles::add(const std::string& path, FileType type) {
    Result<void> allowed = may_change(path);
    if (!allowed) return allowed.error();
    if (has(path)) return Failure{FailureKind::unavailable, "", "", path + ": File exists"};
    auto node = std::make_shared<Node>();
    node->status.type = type;
    node->status.mode = 0600;
    nodes_[whole(path)] = node;
    return node;
}

Result<std::unique_ptr<OpenFile>> SimFiles::open(const std::string& path) {
    const auto node = nodes_.find(whole(path));
    if (node == nodes_.end()) return absent(path);
    if (node->second->status.type == FileType::link)
        return Failure{FailureKind::unavailable, "", "", path + ": Too many levels of symbolic links"};
    return std::make_unique<SimFile>(*this, node->second, path);
}

Result<std::unique_ptr<OpenFile>> SimFiles::open_to_write(const std::string& path) {
    if (has(path) && (link_status(path)->mode & 0200) == 0)
        return Failure{FailureKind::refused, "", "", path + ": Permission denied"};
    return open(path);
}

Result<std::unique_ptr<OpenFile>> SimFiles::create(const std::string& path) {
    auto node = add(path, FileType::file);
    if (!node) return node.error();
    return std::make_unique<SimFile>(*this, *node, path);
}

Result<void> SimFiles::make_directory(const std::string& path, std::uint32_t mode) {
    const auto node = add(path, FileType::directory);
    if (!node) return node.error();
    (*node)->status.mode = mode & ~022U;
    return {};
}

Result<void> SimFiles::make_link(const std::string& path, const std::string& target) {
    const auto node = add(path, FileType::link);
    if (!node) return node.error();
    (*node)->status.target = target;
    return {};
}

Result<void> SimFiles::make_hard_link(const std::string& path, const std::string& file) {
    const auto there = nodes_.find(whole(file));
    if (there == nodes_.end()) return absent(file);
    const std::shared_ptr<Node> node = there->second;
    const auto added = add(path, FileType::file);
    if (!added) return added.error();
    nodes_[whole(path)] = node;
    ++node->names;
    return {};
}

Result<void> SimFiles::set_metadata(const std::string& path, const FileStatus& status) {
    const auto node = nodes_.find(whole(path));
    if (node == nodes_.end()) return absent(path);
    if (status.type != FileType::link) node->second->status.mode = status.mode;
    node->second->status.modified = status.modified;
    return {};
}

// A directory takes along what is in it.
Result<void> SimFiles::rename(const std::string& from, const std::string& to) {
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    Result<void> allowed = may_change(to);
    if (!allowed) return allowed;
    if (!has(from)) return absent(from);
    const std::string old = whole(from);
    const std::string below = old + "/";
    if (has(to)) {
        Result<void> removed = remove(to);
        if (!removed) return removed;
    }
    std::map<std::string, std::shared_ptr<Node>> moved;
    for (auto each = nodes_.begin(); each != nodes_.end();) {
        const bool moves = each->first == old || each->first.starts_with(below);
        if (moves) moved[whole(to) + each->first.substr(old.size())] = each->second;
        each = moves ? nodes_.erase(each) : std::next(each);
    }
    nodes_.merge(moved);
    return {};
}

Result<void> SimFiles::remove(const std::string& path) {
    Result<void> allowed = may_change(path);
    if (!allowed) return allowed;
    const auto node = nodes_.find(whole(path));
    if (node == nodes_.end()) return absent(path);
    if (node->second->status.type == FileType::directory && !list(path)->empty())
        return Failure{FailureKind::unavailable, "", "", path + ": Directory not empty"};
    if (--node->second->names == 0) used_ -= node->second->status.size;
    nodes_.erase(node);
    return {};
}

Result<std::uint64_t> SimFiles::free_space(const std::string& directory) {
    if (!has(directory)) return absent(directory);
    return claimed_ != 0 ? claimed_ : capacity_ - std::min(used_, capacity_);
}

Task<void> SimFiles::apart(std::function<void()> work) {
    if (hangs_) {
        auto begin = [this](auto resume) {
            auto waiting = std::make_shared<decltype(resume)>(std::move(resume));
            hanging_.emplace_back([waiting] {
                const auto executor = asio::get_associated_executor(*waiting);
                asio::post(executor, std::move(*waiting));
            });
        };
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(begin),
                                                                             asio::use_awaitable);
    }
    work();
}

void SimFiles::thaw() {
    hangs_ = false;
    for (const auto& go_on : std::exchange(hanging_, {}))
        go_on();
}

}  // namespace trellis::sim
