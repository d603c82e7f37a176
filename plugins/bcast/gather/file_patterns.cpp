#include "plugins/bcast/gather/file_patterns.hpp"

#include <fnmatch.h>

namespace trellis::plugins::bcast::gather {
namespace {

bool is_pattern(const std::string& text) {
    return text.find_first_of("*?[") != std::string::npos;
}

// What follows `begin` in the pattern, below each of the directories.
class Matching {
  public:
    Matching(FileStore& files, const std::string& pattern) : files_(files), pattern_(pattern) {}

    // `by_pattern`: which a pattern has found.
    Result<void> below(const std::string& directory, std::size_t begin, bool by_pattern = false) {
        files_.step();
        if (begin > pattern_.size()) {
            found.push_back(directory);
            return {};
        }
        const std::size_t end = std::min(pattern_.find('/', begin), pattern_.size());
        const std::string name = pattern_.substr(begin, end - begin);
        if (!is_pattern(name)) return next_part(directory, name, end + 1, by_pattern);
        const auto names = files_.list(directory.empty() ? "." : directory);
        // Of what the user has written himself, errors count; of what a pattern has found, not.
        if (!names) return by_pattern ? Result<void>() : Result<void>(names.error());
        for (const std::string& each : *names) {
            if (::fnmatch(name.c_str(), each.c_str(), FNM_PERIOD) != 0) continue;
            Result<void> matched = next_part(directory, each, end + 1, true);
            if (!matched) return matched;
        }
        return {};
    }

    std::vector<std::string> found;

  private:
    Result<void> next_part(const std::string& directory, const std::string& name, std::size_t next,
                           bool by_pattern) {
        std::string path = directory;
        if (!path.empty() && path != "/") path += '/';
        path += name.empty() && directory.empty() ? "/" : name;
        if (next <= pattern_.size() || is_pattern(pattern_)) {
            const Result<FileStatus> there = files_.link_status(path);
            if (!there || there->type == FileType::absent) return {};
        }
        return below(path, next, by_pattern);
    }

    FileStore& files_;
    const std::string& pattern_;
};

}  // namespace

Result<std::vector<std::string>> matching_paths(FileStore& files, const std::string& pattern) {
    if (!is_pattern(pattern)) return std::vector<std::string>{pattern};
    Matching matching(files, pattern);
    const Result<void> matched = matching.below("", 0);
    if (!matched) return matched.error();
    if (matching.found.empty()) return Failure{FailureKind::unavailable, "", "", pattern + ": no such file"};
    return std::move(matching.found);
}

}  // namespace trellis::plugins::bcast::gather
