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
    if (type == FileType::directory) {
        if (name.empty()) return unavailable(path + ": it is a directory: name a file");
        path += path == "/" ? name : "/" + name;
        const Result<FileStatus> inside = files.link_status(path);
        if (!inside) return inside.error();
        type = inside->type;
    } else if (destination.ends_with('/') && !(directory && type == FileType::absent)) {
        return unavailable(path + ": no such directory");
    }
    if (directory && type != FileType::absent && type != FileType::directory)
        return unavailable(path + ": it is no directory");
    if (!directory && type == FileType::directory) return unavailable(path + ": it is a directory");
    if (!directory && type == FileType::other) return unavailable(path + ": it is no file");
    return path;
}

}  // namespace trellis::plugins::bcast
