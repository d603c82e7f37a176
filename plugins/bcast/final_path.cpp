#include "plugins/bcast/final_path.hpp"

namespace trellis::plugins::bcast {

Result<std::string> final_path(FileStore& files, const std::string& destination, const std::string& name,
                               bool directory) {
    const Result<FileStatus> there = files.status(destination);
    if (!there) return there.error();
    std::string path = destination;
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    FileType type = there->type;
    if (type == FileType::directory && name.empty())
        return unavailable(path + ": it is a directory: name a file");
    if (type == FileType::directory) path += path == "/" ? name : "/" + name;
    if (type == FileType::directory || type == FileType::absent) {  // or a link that leads nowhere
        const Result<FileStatus> found = files.link_status(path);
        if (!found) return found.error();
        type = found->type;
    }
    if (there->type != FileType::directory && destination.ends_with('/') &&
        !(directory && type == FileType::absent)) {
        return unavailable(path + ": no such directory");
    }
    if (directory && type != FileType::absent && type != FileType::directory)
        return unavailable(path + ": it is no directory");
    if (!directory && type == FileType::directory) return unavailable(path + ": it is a directory");
    if (!directory && type == FileType::other) return unavailable(path + ": it is no file");
    return path;
}

}  // namespace trellis::plugins::bcast
