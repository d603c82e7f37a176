#include "plugins/bcast/staging.hpp"

#include "plugins/bcast/figures.hpp"
#include "plugins/bcast/object.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Leaves holes where there are only zeros, if the file's final size is given.
Result<void> write_part(OpenFile& file, std::uint64_t offset, std::string_view bytes, std::uint64_t whole) {
    constexpr std::size_t block = std::size_t{64} << 10;
    const bool holes = whole > 0;
    bool left_out = false;
    while (!bytes.empty()) {
        std::size_t size = 0;  // up to the next block of zeros
        while (size < bytes.size() && !(holes && is_zero(bytes.substr(size, block))))
            size = std::min(size + block, bytes.size());
        if (size > 0) {
            Result<void> written = file.write(offset, bytes.substr(0, size));
            if (!written) return written;
        }
        left_out |= size < bytes.size();
        size = std::min(size + block, bytes.size());
        offset += size;
        bytes.remove_prefix(size);
    }
    return left_out ? file.resize(whole) : Result<void>();
}

}  // namespace

Staging::Staging(FileStore& files, std::string final_path, const std::string& token)
    : files_(files), final_(std::move(final_path)) {
    temporary_ = path_below(directory_of(final_), "." + name_of(final_).substr(0, 200) + ".trellis-" + token);
}

Staging::~Staging() {
    if (!committed_ && !kept_) discard();
}

Result<void> Staging::check_room(std::uint64_t bytes) {
    const Result<std::uint64_t> free = files_.free_space(directory_of(final_));
    if (!free) return free.error();
    if (*free < bytes)
        return unavailable(directory_of(final_) + ": no space: " + bytes_text(static_cast<double>(bytes)) +
                           " needed, " + bytes_text(static_cast<double>(*free)) + " free");
    return {};
}

Result<void> Staging::check(std::uint64_t bytes) {
    Result<void> room = check_room(bytes);
    if (!room) return room;
    const auto tried = files_.create(temporary_);
    if (!tried) return tried.error();
    return files_.remove(temporary_);
}

Result<void> Staging::begin(Manifest manifest) {
    manifest_ = std::move(manifest);
    map_ = ContentMap(manifest_);
    for (const Entry& entry : manifest_.entries) {
        Result<void> made = make(entry);
        if (!made) return made;
        ++made_;
    }
    return {};
}

Result<void> Staging::know(Manifest manifest) {
    const Result<FileStatus> there = files_.link_status(temporary_);
    if (!there) return there.error();
    if (there->type != FileType::absent) {
        const Result<Footprint> found = files_.footprint(temporary_);
        if (!found) return found.error();
        if (!found->own) return Failure{FailureKind::refused, "", "", temporary_ + ": it is not yours"};
    }
    manifest_ = std::move(manifest);
    map_ = ContentMap(manifest_);
    made_ = manifest_.entries.size();
    return {};
}

Result<void> Staging::complete(std::uint64_t right) {
    for (const Entry& entry : manifest_.entries) {
        files_.step();
        const std::string path = path_below(temporary_, entry.path);
        const Result<FileStatus> there = files_.link_status(path);
        if (!there) return there.error();
        const std::uint64_t here = std::min(right, entry.size);
        right -= here;
        Result<void> done = make_mine(path, *there);
        if (!done) return done;
        if (entry.is_hard_link() && there->type == FileType::file)
            done = files_.remove(path);  // whatever it is a name of
        if (!done) return done;
        if (entry.is_hard_link() || there->type != entry.type)
            done = make(entry);
        else if (entry.type == FileType::file && there->size != here)
            done = cut(path, here);
        if (!done) return done;
    }
    return {};
}

// It may have its final mode already, if it was to be put in its place before.
Result<void> Staging::make_mine(const std::string& path, FileStatus there) {
    const std::uint32_t mine = there.type == FileType::directory ? 0700 : 0600;
    if (there.type == FileType::absent || there.type == FileType::link || (there.mode & mine) == mine)
        return {};
    there.mode = mine;
    return files_.set_metadata(path, there);
}

// Where nothing is, zeros need not be written.
Result<void> Staging::cut(const std::string& path, std::uint64_t size) {
    const auto file = files_.open_to_write(path);
    return file ? (*file)->resize(size) : file.error();
}

Result<void> Staging::make(const Entry& entry) {
    files_.step();
    const std::string path = path_below(temporary_, entry.path);
    Result<void> made;
    if (entry.type == FileType::directory) {
        made = files_.make_directory(path, 0700);
    } else if (entry.type == FileType::link) {
        made = files_.make_link(path, entry.target);
    } else if (entry.is_hard_link()) {
        made = files_.make_hard_link(path, path_below(temporary_, entry.target));
    } else {
        const auto file = files_.create(path);
        if (!file) return file.error();
    }
    return made;
}

Result<std::shared_ptr<OpenFile>> Staging::open(std::optional<Opened>& opened, std::size_t entry,
                                                bool to_write) {
    files_.step();
    if (!opened || opened->entry != entry) {
        const Result<void> ended = to_write ? end_writing() : Result<void>();
        if (!ended) return ended.error();
        const std::string path = path_below(committed_ ? final_ : temporary_, manifest_.entries[entry].path);
        auto file = to_write ? files_.open_to_write(path) : files_.open(path);
        if (!file) return file.error();
        opened = Opened{entry, std::move(*file)};
    }
    return opened->file;
}

// A server of files may say only now that there is no space.
Result<void> Staging::end_writing() {
    if (!writing_) return {};
    const std::shared_ptr<OpenFile> file = std::exchange(writing_, std::nullopt)->file;
    return file->flush();
}

// Its final size, if zeros need not be written there; otherwise, or if it is not known, 0.
std::uint64_t Staging::size_with_hole(std::size_t entry, std::uint64_t offset) const {
    return offset >= put_until_ ? manifest_.entries[entry].size : 0;
}

bool Staging::in_one_file(std::uint64_t offset, std::size_t size) const {
    return map_.parts(offset, size).size() == 1;
}

Result<FilePlace> Staging::put(std::uint64_t offset, std::size_t size, Haul* haul) {
    const ContentPart part = map_.parts(offset, size).front();
    const auto file = open(writing_, part.entry, true);
    if (!file) return file.error();
    Result<void> written;
    if (haul)
        written = haul->put(**file, part.offset);
    else if (const std::uint64_t whole = size_with_hole(part.entry, offset))
        written = (*file)->resize(whole);
    else
        written = (*file)->write(part.offset, std::string(size, '\0'));
    if (!written) return written.error();
    put_until_ = std::max(put_until_, offset + size);
    return FilePlace{*file, part.offset};
}

Result<void> Staging::write(std::uint64_t offset, std::string_view bytes) {
    for (const ContentPart& part : map_.parts(offset, bytes.size())) {
        const auto file = open(writing_, part.entry, true);
        if (!file) return file.error();
        const std::uint64_t whole = size_with_hole(part.entry, offset);
        Result<void> written = write_part(**file, part.offset, bytes.substr(0, part.size), whole);
        if (!written) return written;
        bytes.remove_prefix(part.size);
        offset += part.size;
    }
    return {};
}

Result<std::string> Staging::read(std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    for (const ContentPart& part : map_.parts(offset, size)) {
        const auto file = open(reading_, part.entry, false);
        if (!file) return file.error();
        const auto read = (*file)->read_into(part.offset, std::span(bytes).subspan(got, part.size));
        if (!read) return read.error();
        got += *read;
    }
    bytes.resize(got);
    return bytes;
}

// From the last entry to the first, so that nothing changes a directory behind its time or forbids the next.
Result<void> Staging::set_metadata(const std::string& root, bool of_directories) {
    for (std::size_t i = manifest_.entries.size(); i-- > 0;) {
        const Entry& entry = manifest_.entries[i];
        if ((entry.type == FileType::directory) != of_directories) continue;
        files_.step();
        Result<void> set = files_.set_metadata(path_below(root, entry.path), entry.status());
        if (!set) return set;
    }
    return {};
}

Result<void> Staging::commit() {
    reading_.reset();
    Result<void> done = end_writing();
    if (done) done = set_metadata(temporary_, false);
    if (!done) return done;
    const bool directory = manifest_.entries.front().type == FileType::directory;
    const auto may_merge = [&] {
        const Result<FileStatus> there = files_.link_status(final_);
        return directory && there && there->type == FileType::directory;
    };
    if (may_merge()) {
        done = merge();
    } else {
        done = set_metadata(temporary_, true);
        if (done) done = files_.rename(temporary_, final_);
        if (!done && may_merge()) {  // made meanwhile, by another host that has the same files
            open_up();
            done = merge();
        }
    }
    committed_ = done.has_value();
    return done;
}

// What can be foreseen is found before anything is touched.
Result<void> Staging::check_merge() {
    for (const Entry& entry : manifest_.entries) {
        files_.step();
        const std::string to = path_below(final_, entry.path);
        const Result<FileStatus> there = files_.link_status(to);
        if (!there) return there.error();
        if (there->type == FileType::absent) continue;
        const bool directory = there->type == FileType::directory;
        if (directory && entry.type != FileType::directory) return unavailable(to + ": it is a directory");
        if (!directory && entry.type == FileType::directory) return unavailable(to + ": it is no directory");
    }
    return {};
}

// A new one, or one that is there, be it that somebody makes it meanwhile, and may be read-only.
Result<void> Staging::enter(const std::string& directory) {
    constexpr std::uint32_t changeable = 0300;
    Result<void> made = files_.make_directory(directory, 0700);
    if (made) return made;
    Result<FileStatus> there = files_.link_status(directory);
    if (!there) return there.error();
    if (there->type != FileType::directory) return made;
    if ((there->mode & changeable) == changeable) return {};
    there->mode |= changeable;
    return files_.set_metadata(directory, *there);
}

// Into a directory that is there: file by file, each at once.
Result<void> Staging::merge() {
    Result<void> fits = check_merge();
    if (!fits) return fits;
    for (const Entry& entry : manifest_.entries) {
        const std::string to = path_below(final_, entry.path);
        files_.step();
        Result<void> done = entry.type == FileType::directory
                                ? enter(to)
                                : files_.rename(path_below(temporary_, entry.path), to);
        if (!done) return done;
    }
    for (std::size_t i = manifest_.entries.size(); i-- > 0;) {
        const Entry& entry = manifest_.entries[i];
        if (entry.type != FileType::directory) continue;
        files_.step();
        Result<void> removed = files_.remove(path_below(temporary_, entry.path));
        if (!removed) return removed;
    }
    return set_metadata(final_, true);
}

// As they may have been made read-only.
void Staging::open_up() {
    for (std::size_t i = 0; i < made_; ++i) {
        const Entry& entry = manifest_.entries[i];
        if (entry.type != FileType::directory) continue;
        files_.step();
        FileStatus mine = entry.status();
        mine.mode = 0700;
        (void)files_.set_metadata(path_below(temporary_, entry.path), mine);
    }
}

void Staging::discard() {
    writing_.reset();
    reading_.reset();
    open_up();
    for (std::size_t i = made_; i-- > 0; files_.step())
        (void)files_.remove(path_below(temporary_, manifest_.entries[i].path));
    made_ = 0;
}

}  // namespace trellis::plugins::bcast
