#include "plugins/bcast/manifest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

// Set-user-ID and set-group-ID: owners are not kept, and nobody is to run it as somebody else.
constexpr std::uint32_t as_owner = 06000;

// Walks through what lies at a path.
class Reader {
  public:
    Reader(FileStore& files, const std::string& root) : files_(files), root_(root) {}
    Result<void> add(const std::string& path);
    Manifest manifest;

  private:
    [[nodiscard]] bool holds_bytes(const std::string& path);

    FileStore& files_;
    const std::string& root_;
    std::map<FileIdentity, std::string> first_names_;  // of files that have more
};

// As those of /proc do, whose size is not known.
bool Reader::holds_bytes(const std::string& path) {
    const auto file = files_.open(path);
    const auto first = file ? (*file)->read(0, 1) : Result<std::string>();
    return first && !first->empty();
}

Result<void> Reader::add(const std::string& path) {
    files_.step();
    const std::string whole = path_below(root_, path);
    const Result<FileStatus> status = path.empty() ? files_.status(whole) : files_.link_status(whole);
    if (!status) return status.error();
    if (status->type == FileType::absent) return unavailable(whole + ": No such file or directory");
    if (status->type == FileType::other)
        return invalid(whole + ": neither a file, a directory nor a symbolic link");
    if (manifest.entries.size() == most_entries) return invalid(root_ + ": too many files");
    Entry& entry = manifest.entries.emplace_back();
    entry = {path, status->type, status->mode, status->modified, status->size, status->target};
    if (entry.type == FileType::file) {
        const Result<Footprint> found = files_.footprint(whole);
        if (!found) return found.error();
        if (!found->own) entry.mode &= ~as_owner;
        if (entry.size == 0 && holds_bytes(whole))
            return unavailable(whole + ": says that it is empty, but holds something");
        if (found->shared && !first_names_.try_emplace(*found->shared, path).second) {
            entry.target = first_names_[*found->shared];
            entry.size = 0;
        }
    }
    if (status->type != FileType::directory) return {};
    const auto names = files_.list(whole);
    if (!names) return names.error();
    for (const std::string& name : *names) {
        std::string below = path;
        if (!below.empty()) below += '/';
        below += name;
        Result<void> added = add(below);
        if (!added) return added;
    }
    return {};
}

bool is_plain(std::string_view path) {
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string_view::npos)
            return false;
        begin = end + 1;
    }
    return true;
}

Failure refused(const Entry& entry, const char* cause) {
    return invalid("manifest: " + entry.path + ": " + cause);
}

}  // namespace

std::uint64_t Manifest::content_bytes() const {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries)
        sum += entry.size;
    return sum;
}

std::string path_below(const std::string& root, const std::string& path) {
    if (path.empty()) return root;
    return root == "/" ? root + path : root + "/" + path;
}

std::string led_to(FileStore& files, const std::string& path) {
    constexpr int most_links = 40;  // as many as Linux follows
    std::string at = path;
    for (int i = 0; i < most_links; ++i) {
        const auto there = files.link_status(at);
        if (!there || there->type == FileType::absent) return path;
        if (there->type != FileType::link) return at;
        const std::size_t name = there->target.starts_with('/') ? 0 : at.rfind('/') + 1;
        at.replace(name, std::string::npos, there->target);
    }
    return path;
}

Result<Manifest> read_manifest(FileStore& files, const std::string& path) {
    Reader reader(files, path);
    const Result<void> added = reader.add("");
    if (!added) return added.error();
    return std::move(reader.manifest);
}

Result<void> validate(const Manifest& manifest, std::optional<std::uint64_t> content_bytes) {
    if (manifest.entries.empty() || !manifest.entries.front().path.empty())
        return invalid("manifest: it has no first entry");
    std::set<std::string_view> seen, directories, files;
    std::uint64_t sum = 0;
    for (const Entry& entry : manifest.entries) {
        const bool first = &entry == &manifest.entries.front();
        const bool known = entry.type == FileType::file || entry.type == FileType::directory ||
                           (entry.type == FileType::link && !first);
        if (!known) return refused(entry, "of no known type");
        if (entry.type != FileType::file && entry.size != 0)
            return refused(entry, "only files have contents");
        if (entry.is_hard_link() && (entry.size != 0 || !files.contains(entry.target)))
            return refused(entry, "not another name of a file before");
        const std::string_view path = entry.path;
        const std::size_t slash = path.rfind('/');
        const std::string_view above = slash == std::string_view::npos ? "" : path.substr(0, slash);
        if (!first && !is_plain(path)) return refused(entry, "not a path below the first entry");
        if (!first && !directories.contains(above)) return refused(entry, "in no directory");
        if (!seen.insert(path).second) return refused(entry, "given twice");
        if (entry.type == FileType::directory) directories.insert(path);
        if (entry.type == FileType::file && !entry.is_hard_link()) files.insert(path);
        if (sum + entry.size < sum) return refused(entry, "too large");
        sum += entry.size;
    }
    const bool right = content_bytes ? sum == *content_bytes
                                     : sum == 0 && manifest.entries.size() == 1 && directories.empty();
    if (!right) return invalid("manifest: its sizes are not those of the contents");
    return {};
}

ContentMap::ContentMap(const Manifest& manifest) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
        const Entry& entry = manifest.entries[i];
        const bool alone = manifest.entries.size() == 1 && entry.type == FileType::file;
        if (entry.size == 0 && !alone) continue;
        begins_.push_back(begin);
        entries_.push_back(i);
        begin += entry.size;
    }
}

std::vector<ContentPart> ContentMap::parts(std::uint64_t offset, std::size_t size) const {
    std::vector<ContentPart> found;
    auto next = std::upper_bound(begins_.begin(), begins_.end(), offset);
    while (size > 0 && next != begins_.begin()) {
        const auto file = static_cast<std::size_t>(next - begins_.begin() - 1);
        std::uint64_t here = size;
        if (next != begins_.end()) here = std::min<std::uint64_t>(here, *next - offset);
        found.push_back({entries_[file], offset - begins_[file], static_cast<std::size_t>(here)});
        offset += here;
        size -= static_cast<std::size_t>(here);
        if (next != begins_.end()) ++next;
    }
    return found;
}

}  // namespace trellis::plugins::bcast
